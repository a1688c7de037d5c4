import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadCommands } from '../../../config/load-commands.ts';
import { type CommandOption, type NamedCommand, singleCommands } from '../../../kernel/commands/command-definition.ts';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { runInProcess } from './run-in-process.ts';

const KEY = 'the-key-of-the-good-node-0123456789';

/** A server that records the headers and the body of each request, and replies with 404. */
const recordRequests = async () => {
  const seen: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: unknown[] = [];
    for await (const part of request) parts.push(part);
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)} ${parts.join('')}`);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"nothing"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, url, close: () => server.close() };
};

describe('addresses that commands send requests to', () => {
  let folder: string;
  let other: Awaited<ReturnType<typeof recordRequests>>;
  let env: Record<string, string>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'addresses-'));
    other = await recordRequests();
    env = { HOME: folder, SVC_API_KEY: KEY, SVC_URL: 'http://127.0.0.1:9' };
  });
  beforeEach(() => {
    other.seen.length = 0;
  });
  after(async () => {
    other.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runInProcess(argv, { env: { ...env, ...more }, input: '{"cwd":"/tmp","prompt":"Where does Alice live now?"}' });

  /** Returns the words that start a command at the other address, with a value for all that it requires. */
  const wordsOf = ({ name, command }: NamedCommand): string[] => [
    ...name.split(' '),
    ...Object.entries(command.arguments ?? {}).map(([argument]) => EXAMPLES[argument] ?? 'x'),
    ...Object.entries<CommandOption>(command.options ?? {}).flatMap(([option, { type, ...rest }]) =>
      'required' in rest && rest.required === true
        ? [`--${option}`, ('of' in rest ? rest.of?.[0] : undefined) ?? (type === 'integer' ? '1' : 'x')]
        : [],
    ),
    ...['--url', other.url],
  ];
  const EXAMPLES: Readonly<Record<string, string>> = { file: '-', client: 'cursor', format: 'mcp-memory', path: '-' };

  it('do not receive the key of SVC_API_KEY if it was made for another address, from any command', async () => {
    const { commands } = await loadCommands({ configFile: undefined, env: {} });
    const asking = singleCommands(commands.map(({ command }) => command)).filter(
      ({ command }) => command.needs === 'server' || 'url' in (command.options ?? {}),
    );
    expect(asking.map(({ name }) => name)).to.include.members(['recall', 'login', 'mcp', 'hook prompt', 'connect']);
    for (const one of asking) {
      const { stdout, stderr } = await run(wordsOf(one));
      expect(other.seen.join('\n'), one.name).not.to.contain(KEY);
      expect(stdout + stderr, one.name).not.to.contain(KEY);
    }
  });

  it('receive no request while the key belongs to another address; the error says how to give a key', async () => {
    const { exitCode, stderr } = await run(['recall', 'Alice', '--url', other.url]);
    expect([exitCode, other.seen]).to.deep.equal([1, []]);
    expect(stderr).to.equal(
      'error: SVC_API_KEY holds the key of another address\nhint: set SVC_URL to the address of its node, or name a ' +
        'file with a key of this address with --key-file\n',
    );
  });

  it('receive the key of SVC_API_KEY if SVC_URL names them, in any spelling', async () => {
    const spelled = `${other.url.replace('http', 'HTTP')}//`;
    await run(['query', '--url', other.url], { SVC_URL: spelled });
    await run(['query'], { SVC_URL: spelled });
    expect(other.seen.filter((line) => line.includes(`Bearer ${KEY}`))).to.have.lengthOf(2);
  });

  it('receive no key when a stranger could have written the file that names them', async () => {
    const data = join(folder, 'data');
    const { SVC_URL: _, ...surroundings } = env;
    const left = async (text: string, mode: number): Promise<string> => {
      await rm(data, { recursive: true, force: true });
      await mkdir(data);
      await writeFile(join(data, 'address'), text, { mode });
      const found = await runInProcess(['query'], { env: { ...surroundings, SVC_DB_PATH: join(data, 'svc.db') } });
      return found.stderr;
    };
    const foreign = 'it holds no http address of this machine';
    for (const [text, mode, why] of [
      [other.url, 0o644, 'other users may open it'],
      ['https://127.0.0.1', 0o600, foreign],
      ['http://attacker.example', 0o600, foreign],
      ['http://127.0.0.1.attacker.example', 0o600, foreign],
      ['not an address', 0o600, foreign],
      [`${other.url}/${'long'.repeat(100)}`, 0o600, foreign],
    ] as const) {
      const told = await left(text, mode);
      expect(other.seen, text).to.deep.equal([]);
      expect(told, text).to.match(new RegExp(`^note: \\S+/address is ignored: ${why}\n`));
    }
    expect(await left(other.url, 0o600)).not.to.contain('note:');
    expect(other.seen.filter((line) => line.includes(`Bearer ${KEY}`))).to.have.lengthOf(1);
  });

  it('receive the key that a login saved for them, but never a key file of another address', async () => {
    const fileOf = (kind: string, url: string) =>
      join(folder, '.config/fact-memory-node', kind, `x-${sha256Hex(url).slice(0, 16)}.key`);
    const host = other.url.slice('http://'.length).replace(':', '_');
    const kept = fileOf('keys', other.url).replace('/x-', `/${host}-`);
    const [foreign, made] = [fileOf('clients', 'https://good.example'), fileOf('clients', other.url)];
    for (const kind of ['keys', 'clients'])
      await mkdir(join(folder, '.config/fact-memory-node', kind), { recursive: true });
    for (const file of [kept, foreign, made]) await writeFile(file, `kept-by-${file.length}-0123456789`);
    await symlink(foreign, join(folder, 'link.key'));
    await run(['query', '--url', other.url]);
    await run(['query', '--url', other.url, '--key-file', made]);
    expect(other.seen.filter((line) => line.includes('Bearer kept-by'))).to.have.lengthOf(2);
    for (const file of [foreign, join(folder, 'link.key')]) {
      const { exitCode, stderr } = await run(['query', '--url', other.url, '--key-file', file]);
      expect([exitCode, other.seen.length], stderr).to.deep.equal([1, 2]);
      expect(stderr).to.contain('holds the key of another address');
    }
  });

  it('receive no malformed key; the error names where the key came from', async () => {
    const file = join(folder, 'bad.key');
    await writeFile(file, `${KEY}-\u00e4`);
    for (const [argv, given, source] of [
      [['query'], { SVC_URL: other.url, SVC_API_KEY: `${KEY} ${KEY}` }, 'SVC_API_KEY'],
      [['query', '--url', other.url, '--key-file', file], {}, file],
    ] as const) {
      const { exitCode, stderr } = await run(argv, given);
      expect([exitCode, other.seen]).to.deep.equal([1, []]);
      expect(stderr).to.contain(`error: the key of ${source} is malformed\nhint: `).and.not.to.contain(KEY);
    }
  });
});
