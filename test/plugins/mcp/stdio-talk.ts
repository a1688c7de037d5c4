import { PassThrough } from 'node:stream';
import { connectServer } from '../../../adapters/cli/command-server.ts';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import { askOverHttp } from '../../../plugins/mcp/ask-node.ts';
import { serveOverStdio } from '../../../plugins/mcp/stdio-face.ts';
import type { ServedNode } from '../../kit/start-served-node.ts';

/** Raw lines to and from the protocol over standard input, after a first greeting by a client of 2025. */
export interface StdioTalk {
  /** Sends a line as it is, and resolves to the next reply. */
  reply(line: string): Promise<{ readonly id: unknown; readonly error?: { readonly code: number } }>;
  stop(): Promise<void>;
}

export const talkOverStdio = async ({ url, adminKey }: Pick<ServedNode, 'url' | 'adminKey'>): Promise<StdioTalk> => {
  const server = await connectServer({}, { env: { SVC_URL: url, SVC_API_KEY: adminKey } }, createSystemRandom());
  const node = askOverHttp(server, { nowMs: () => 0 });
  await node.ready();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const parts = { choice: { profile: 'core', readOnly: false }, node, name: 'x', version: '1', report() {} };
  const ended = serveOverStdio({ ...parts, tokens: {} } as never, { stdin, stdout });
  const arrived: string[] = [];
  let waiting: () => void = () => {};
  stdout.on('data', (chunk) => {
    arrived.push(...String(chunk).trim().split('\n'));
    waiting();
  });
  const reply: StdioTalk['reply'] = async (line) => {
    stdin.write(`${line}\n`);
    while (arrived.length === 0) {
      await new Promise<void>((resolve) => {
        waiting = resolve;
      });
    }
    return JSON.parse(String(arrived.shift()));
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  await reply(JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params }));
  return {
    reply,
    async stop() {
      stdin.end();
      await ended;
    },
  };
};
