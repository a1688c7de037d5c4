import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import type { CommandServer } from '../../../kernel/command-api.ts';
import { askOverHttp } from '../../../plugins/mcp/ask-node.ts';
import { serveOverStdio } from '../../../plugins/mcp/stdio-face.ts';
import { createGate } from '../../kit/create-gate.ts';
import { negotiationOf, type Revision } from './mcp-kit.ts';

/** The SDK's own client, which talks over standard input and output in this process. */
export interface StdioClient {
  readonly client: Client;
  /** Resolves when the node has said who the caller is. */
  ready(): Promise<void>;
  /** The names of the tools after each notification that the list has changed. */
  readonly changes: readonly (readonly string[])[];
  /** Resolves with the first notification. */
  readonly changed: Promise<void>;
  stop(): Promise<void>;
}

export const connectOverStdio = async (
  server: Pick<CommandServer, 'send'>,
  revision: Revision,
): Promise<StdioClient> => {
  const node = askOverHttp(server, { nowMs: () => 0 });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const parts = { choice: { profile: 'core', readOnly: false }, node, name: 'x', version: '1', report() {} };
  const ended = serveOverStdio({ ...parts, tokens: {} } as never, { stdin, stdout });
  const changes: string[][] = [];
  const { passed: changed, open: heard } = createGate();
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: negotiationOf(revision),
      listChanged: {
        tools: {
          debounceMs: 0,
          onChanged: (_error, tools) => {
            changes.push((tools ?? []).map(({ name }) => name).sort());
            heard();
          },
        },
      },
    },
  );
  await client.connect(lineTransport(stdin, stdout));
  return {
    client,
    ready: () => node.ready(),
    changes,
    changed,
    async stop() {
      await client.close();
      await ended;
    },
  };
};

const lineTransport = (stdin: PassThrough, stdout: PassThrough): Transport => {
  const transport: Transport = {
    async start() {
      createInterface({ input: stdout }).on('line', (line) => transport.onmessage?.(JSON.parse(line)));
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      stdin.end();
      transport.onclose?.();
    },
  };
  return transport;
};
