import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { UNFAITHFUL_NUMBER } from '../../../kernel/internal-api.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { type StdioTalk, talkOverStdio } from './stdio-talk.ts';

const NUMBERS = ['725653563933458433', '9007199254740993', '1e400', '-9007199254740993'];

describe('a number that a double cannot hold', () => {
  let served: ServedNode;
  let talk: StdioTalk;
  before(async () => {
    served = await startServedNode();
    talk = await talkOverStdio(served);
  });
  after(async () => {
    await talk.stop();
    await served.stop();
  });

  const fact = (value: string): string => `{"entity":"user:big","relation":"memory:id","value":${value}`;
  const call = (value: string, more = ''): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"assert","arguments":${fact(value)}${more}}}}`;
  const posted = async (path: string, body: string): Promise<string> => {
    const headers = { Authorization: `Bearer ${served.adminKey}`, 'Content-Type': 'application/json' };
    const accept = { Accept: 'application/json, text/event-stream' };
    const reply = await fetch(`${served.url}${path}`, { method: 'POST', headers: { ...headers, ...accept }, body });
    return reply.text();
  };
  const said = async (line: string): Promise<string> => JSON.stringify(await talk.reply(line));
  const printed = async (argv: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await served.run(argv);
    return stdout + stderr;
  };
  const imported = async (row: string): Promise<string> => {
    const file = join(served.folder, 'big.csv');
    await writeFile(file, `id,number\n1,${row}\n`);
    const map = ['entity=user:{id}', 'relation==memory:id', 'value=number', 'type==number'].join(',');
    return printed(['import-from', 'csv', file, '--map', map]);
  };

  const WAYS: Readonly<Record<string, (number: string) => Promise<string>>> = {
    'in a request': (number) => posted('/v1/facts', `${fact(`{"type":"number","v":${number}}`)},"source":"agent:x"}`),
    'in a call over HTTP': (number) => posted('/v1/mcp', call(number)),
    'in a call over standard input': (number) => said(call(number)),
    'in a typed value of a call': (number) => said(call(`{"type":"number","v":${number}}`)),
    'as text of a call': (number) => posted('/v1/mcp', call(`"${number}"`, ',"value_type":"number"')),
    'in a command': (number) => printed(['assert', '--type', 'number', '--', 'user:big', 'memory:id', number]),
    'in a table': imported,
  };

  for (const [way, say] of Object.entries(WAYS)) {
    it(`is refused with the same error ${way}`, async () => {
      for (const number of NUMBERS) expect(await say(number), number).to.include(UNFAITHFUL_NUMBER);
      const { body } = await served.ask('GET', '/v1/facts?entity=user:big&include_contradicted=true');
      expect(body.total).to.equal(0);
    });
  }
});
