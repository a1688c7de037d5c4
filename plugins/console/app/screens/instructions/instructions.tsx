import { useLayoutEffect, useState } from 'preact/hooks';
import { Field } from '../../kit/field.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Empty } from '../../kit/state.tsx';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { AgentInstructions } from './agent-instructions.tsx';

const PREFIX = 'agent:';

/** The instructions of an agent. */
export const Instructions = () => {
  const { texts, reader, own } = useSession('instructions');
  const { query, open } = useAddress();
  const { entity_uri: entity } = reader;
  const self = entity.startsWith(PREFIX) ? entity.slice(PREFIX.length) : '';
  // An agent sees its own manifest until it asks for another's.
  const shown = query.agent ?? self;
  const [agent, setAgent] = useState(shown);
  // Also follows a step back in the history.
  useLayoutEffect(() => setAgent(shown), [shown]);
  const choose = (event: Event): void => {
    event.preventDefault();
    const name = agent.trim().replace(/^agent:/, '');
    if (name !== '') open('instructions', { agent: name });
  };
  return (
    <>
      <ScreenHead title={texts.screens.instructions} />
      <p class="lead">{own.lead}</p>
      <form class="asked" onSubmit={choose}>
        <Field label={own.agent} hint={own.agentHint}>
          {(ids) => <input {...ids} value={agent} onInput={({ currentTarget }) => setAgent(currentTarget.value)} />}
        </Field>
        <button type="submit">{own.show}</button>
      </form>
      {shown === '' ? (
        <Empty title={own.noAgent} hint={own.noAgentHint} />
      ) : (
        <AgentInstructions key={shown} agent={shown} />
      )}
    </>
  );
};
