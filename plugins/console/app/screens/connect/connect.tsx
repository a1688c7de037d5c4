import { useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Field } from '../../kit/field.tsx';
import { nodeUrl } from '../../kit/platform.ts';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import { ClientSteps } from './client-steps.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { makeAgentKey } from './make-agent-key.tsx';

const NOTHING = (): void => undefined;

/** Leads from the address of the node to an agent that uses it: a key, the lines of its client, and a test. */
export const Connect = () => {
  const session = useSession();
  const { client, texts, setup, reader } = session;
  const { connect: own } = texts;
  const { query, open } = useAddress();
  const [key, setKey] = useState<string>();
  const actions = useActions(NOTHING);
  const making = useAction();
  const asked = useRequest((signal) => client.call('GET /v1/connect/clients', { signal }), []);
  const address = `${nodeUrl()}/v1/mcp`;
  if (!hasRoute(setup, 'POST /v1/mcp')) {
    return (
      <>
        <ScreenHead title={texts.screens.connect} />
        <Empty title={own.isOff} hint={own.isOffHint} />
      </>
    );
  }
  return (
    <>
      <ScreenHead title={texts.screens.connect} />
      <p class="lead">{own.lead}</p>
      {actions.view}
      <h2>{own.address}</h2>
      <p class="copied">
        <code class="shown">{address}</code> <CopyButton text={address} label={own.copyAddress} />
      </p>
      <p class="muted">{hasRoute(setup, 'GET /v1/oauth/grants') ? own.remote : own.remoteOff}</p>
      <Answer asked={asked}>
        {({ clients }) => {
          const chosen = clients.find(({ name }) => name === query.client) ?? clients[0];
          if (chosen === undefined) return null;
          return (
            <>
              <h2>{own.client}</h2>
              <Field label={own.which}>
                {(ids) => (
                  <select
                    {...ids}
                    value={chosen.name}
                    onChange={({ currentTarget }) => open('connect', { client: currentTarget.value }, true)}
                  >
                    {clients.map(({ name, title }) => (
                      <option key={name} value={name}>
                        {title}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              {may(reader, 'admin') && hasRoute(setup, 'POST /v1/auth/keys') ? (
                <p>
                  <Button
                    text={fill(own.makeKey, { client: chosen.title })}
                    class="primary"
                    onClick={() => void making.run(() => makeAgentKey(chosen, { session, actions, onMade: setKey }))}
                  />{' '}
                  <span class="muted">{own.makeKeyHint}</span>
                </p>
              ) : (
                <p class="muted">{own.askForKey}</p>
              )}
              <ClientSteps lines={chosen} address={nodeUrl()} />
              <h2>{own.test}</h2>
              <ConnectionTest key={key} agentKey={key} />
            </>
          );
        }}
      </Answer>
    </>
  );
};
