import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { parse as parseToml } from 'smol-toml';
import { CLIENT_NAMES, type ClientName, serverFileOf } from './client-files.ts';
import { type ConnectedUser, connectUser } from './connected-user.ts';

interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearer_token_env_var?: string;
}

/** The MCP SDK connects with the configuration that `connect` has written, and with no other information. */
describe('a client that uses the configuration written by connect', function () {
  this.timeout(120_000);
  let user: ConnectedUser;
  before(async () => {
    user = await connectUser();
  });
  after(() => user.stop());

  const entryOf = async (client: ClientName): Promise<Entry> => {
    const text = (await user.read(serverFileOf(client, user.home))) ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: files of other programs have no type
    const root = (client === 'codex' ? parseToml(text) : JSON.parse(text)) as any;
    const { command, args, httpUrl, ...entry } = (root.mcpServers ??
      root.mcp_servers ??
      root.servers ??
      root.context_servers ??
      root.mcp)['fact-memory'];
    const [program, ...more] = [command].flat();
    return { url: httpUrl, ...entry, command: program, args: args ?? more };
  };

  /** Returns the headers that the client would send, with the key from its environment variable or prompt. */
  const headersOf = ({ headers = {}, bearer_token_env_var: variable }: Entry, key: string): Record<string, string> => {
    if (variable !== undefined) return { Authorization: `Bearer ${variable === 'SVC_API_KEY' ? key : ''}` };
    const followed = ([name, value]: [string, string]): [string, string] => [
      name,
      value.replace(/\$?\{(?:env:)?SVC_API_KEY\}|\$\{input:fact-memory-key\}/, key),
    ];
    return Object.fromEntries(Object.entries(headers).map(followed));
  };

  const rememberAndRecall = async (client: Client, words: string): Promise<void> => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['recall', 'assert', 'query', 'card']);
    const entity = `project:${words}`;
    const fact = {
      entity,
      relation: 'memory:status',
      value: { type: 'string', v: `${words} works` },
      source: 'agent:x',
    };
    const told = await client.callTool({ name: 'assert', arguments: fact });
    expect(told.isError, JSON.stringify(told)).to.not.equal(true);
    const found = await client.callTool({ name: 'recall', arguments: { query: `${words} works` } });
    expect(JSON.stringify(found)).to.contain(`${words} works`);
  };

  for (const name of CLIENT_NAMES) {
    it(`connects over stdio: ${name}`, async () => {
      const done = await user.run(['connect', name, '--yes', '--no-hooks']);
      expect(done.exitCode, done.stderr).to.equal(0);
      const { command = '', args = [] } = await entryOf(name);
      const client = new Client({ name: 'test', version: '1.0.0' });
      // The process gets no environment of the test, because the file must contain all settings.
      await client.connect(new StdioClientTransport({ command, args: [...args], env: { HOME: user.home } }));
      try {
        await rememberAndRecall(client, `stdio-${name}`);
      } finally {
        await client.close();
      }
      const examined = await user.run(['doctor', name], { SVC_API_KEY: '' });
      expect(examined.stdout).to.match(/mcp +ok +\d+ tools over stdio/);
      await user.run(['disconnect', name, '--yes']);
    });

    if (name === 'claude-desktop' || name === 'zed') continue;
    it(`connects over HTTP: ${name}`, async () => {
      const done = await user.run(['connect', name, '--yes', '--no-hooks', '--transport', 'http']);
      expect(done.exitCode, done.stderr).to.equal(0);
      const entry = await entryOf(name);
      const headers = headersOf(entry, user.node.adminKey);
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(entry.url ?? ''), { requestInit: { headers } }));
      try {
        await rememberAndRecall(client, `http-${name}`);
      } finally {
        await client.close();
      }
      await user.run(['disconnect', name, '--yes']);
    });
  }
});
