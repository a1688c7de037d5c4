import { useState } from 'preact/hooks';
import { FactClient } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { network, nodeUrl } from '../../kit/platform.ts';
import { Problem } from '../../kit/problem.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

/** The first message of a client of the Model Context Protocol. */
const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'console', version: '1' } },
};

/** Asks the node as an agent would: with the new key where one was made, otherwise as the reader. */
export const ConnectionTest = ({ agentKey }: { agentKey: string | undefined }) => {
  const { client, texts, own } = useSession('connect');
  const [entity, setEntity] = useState<string>();
  const { isWorking, error, run } = useAction();
  const test = (): void =>
    void run(async () => {
      setEntity(undefined);
      const asked =
        agentKey === undefined ? client : new FactClient({ url: nodeUrl(), key: agentKey, retries: 0, fetch: network });
      const headers = { Accept: 'application/json, text/event-stream' };
      await asked.open('POST', '/v1/mcp', { body: HELLO, headers });
      setEntity((await asked.me()).entity_uri);
    });
  return (
    <>
      <p>
        <Button text={isWorking ? `${texts.working}…` : own.runTest} disabled={isWorking} onClick={test} />{' '}
        <span class="muted">{agentKey === undefined ? own.testAsReader : own.testAsAgent}</span>
      </p>
      <p role="status">{entity !== undefined && fill(own.works, { entity })}</p>
      {error !== undefined && <Problem error={error} />}
    </>
  );
};
