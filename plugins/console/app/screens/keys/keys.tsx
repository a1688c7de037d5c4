import { useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { AgentKeys } from './agent-keys.tsx';
import { AllKeys } from './all-keys.tsx';
import { ExpiringKeys } from './expiring-keys.tsx';
import { Grants } from './grants.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKey } from './new-key.tsx';

/**
 * The reader's API keys, remote clients and signing keys. Administrators also see all keys of the tenant, those that
 * expire soon, and the remote clients of everybody.
 */
export const Keys = () => {
  const { client, texts, reader, setup, own } = useSession('keys');
  // An action in one list reloads the other.
  const [round, setRound] = useState(0);
  const keys = useRequest((signal) => client.call('GET /v1/auth/keys', { signal }), [round]);
  const actions = useActions(() => setRound(round + 1));
  return (
    <>
      <ScreenHead title={texts.screens.keys}>
        {may(reader, 'admin') && (
          <Button text={own.register} class="primary" onClick={() => actions.show(<NewKey actions={actions} />)} />
        )}
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      <Answer asked={keys}>
        {(all) => <KeyTable label={own.mine} keys={all} actions={actions} empty={<Empty title={own.nothing} />} />}
      </Answer>
      {may(reader, 'admin') && <AllKeys round={round} actions={actions} />}
      {may(reader, 'admin') && hasRoute(setup, 'GET /v1/auth/keys/expiring-soon') && (
        <ExpiringKeys round={round} actions={actions} />
      )}
      {hasRoute(setup, 'GET /v1/oauth/grants') && <Grants />}
      {hasRoute(setup, 'GET /v1/auth/agent-keys') && <AgentKeys />}
    </>
  );
};
