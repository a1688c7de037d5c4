import { join } from 'node:path';
import { expect } from 'chai';
import { type ConnectedUser, connectUser } from './connected-user.ts';

interface Found {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly fix?: string;
}

/** A minimal MCP server other than the node. It initializes and offers one tool. */
const STUB = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'stub', version: '1' } }
    : { tools: [{ name: 'recall' }] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

describe('the command doctor', () => {
  let at: ConnectedUser;
  let user: ConnectedUser;
  before(async () => {
    at = await connectUser();
  });
  after(() => at.stop());
  beforeEach(async () => {
    user = await connectUser(at.node);
  });
  afterEach(() => user.stop());

  const examine = async (client: string, more: Readonly<Record<string, string>> = {}, ...words: string[]) => {
    const { exitCode, stdout, stderr } = await user.run(['doctor', client, '--json', ...words], more);
    expect(stderr).to.equal('');
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Found[] };
    expect(exitCode).to.equal(ok ? 0 : 1);
    const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]));
    const of = (check: string) => findings.find((one) => one.check === check && one.fix !== undefined);
    return { ok, states, findings, of };
  };

  const connect = async (client: string, ...more: string[]) => {
    const done = await user.run(['connect', client, '--yes', ...more]);
    expect(done.exitCode, done.stderr).to.equal(0);
  };

  const key = async (permissions: readonly string[], expires?: string): Promise<string> => {
    const raw_key = `a-key-of-${permissions.join('-')}-0123456789-${Math.floor(performance.now() * 1_000)}`;
    const body = {
      raw_key,
      entity_uri: `agent:${raw_key.slice(-12)}`,
      permissions,
      ...(expires && { expires_at: expires }),
    };
    expect((await at.node.ask('POST', '/v1/auth/keys', body)).status).to.equal(201);
    return raw_key;
  };

  it('finds no problem in a connection over HTTP', async () => {
    for (const client of ['claude-code', 'cursor', 'codex']) {
      await connect(client, '--transport', 'http');
      const { ok, states, findings } = await examine(client, { SVC_API_KEY: await key(['read', 'write']) });
      expect(ok, JSON.stringify(findings)).to.equal(true);
      expect(states).to.deep.equal({ entry: 'ok', hooks: 'ok', node: 'ok', key: 'ok', mcp: 'ok', recall: 'ok' });
      expect(findings.find(({ check }) => check === 'mcp')?.detail).to.match(/^\d+ tools over HTTP, protocol \d/);
    }
    const all = await user.run(['doctor'], { SVC_API_KEY: await key(['read', 'write']) });
    expect(all.exitCode, all.stdout).to.equal(0);
    expect(all.stdout)
      .to.match(/^client +check +state +found\n/)
      .and.to.contain('codex')
      .and.to.contain('cursor');
  });

  it('starts the configured command and talks MCP to it', async () => {
    await connect('claude-desktop');
    const file = '.config/Claude/claude_desktop_config.json';
    const config = JSON.parse((await user.read(file)) ?? '');
    const entry = config.mcpServers['fact-memory'];
    const args = ['-e', STUB, '--', ...entry.args.slice(1)];
    await user.write(file, JSON.stringify({ mcpServers: { 'fact-memory': { ...entry, args } } }));
    const good = await examine('claude-desktop', {}, '--yes');
    expect(good.ok, JSON.stringify(good.findings)).to.equal(true);
    expect(good.findings.find(({ check }) => check === 'mcp')?.detail).to.equal(
      '1 tools over stdio, protocol 2025-11-25',
    );
    for (const [command, why] of [
      [join(user.home, 'gone'), 'cannot be started'],
      ['false', 'ended with 1'],
    ]) {
      await user.write(file, JSON.stringify({ mcpServers: { 'fact-memory': { ...entry, command } } }));
      const bad = await examine('claude-desktop', {}, '--yes');
      expect([bad.ok, bad.states['mcp']]).to.deep.equal([false, 'broken']);
      expect(bad.of('mcp')?.detail).to.contain(why);
    }
  });

  it('reports a missing, incomplete or malformed configuration file', async () => {
    expect((await examine('cursor')).of('entry')?.detail).to.contain('there is no file');
    await user.write('.cursor/mcp.json', '{}');
    expect((await examine('cursor')).of('entry')?.detail).to.contain('has no server fact-memory');
    await user.write('.cursor/mcp.json', '{');
    expect((await examine('cursor')).of('entry')?.detail).to.contain('is no valid JSON');
    const none = await user.run(['doctor']);
    expect([none.exitCode, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.contain('no client is connected');
  });

  it('reports that the node does not answer', async () => {
    await connect('cursor', '--transport', 'http');
    const text = ((await user.read('.cursor/mcp.json')) ?? '').replace(at.url, 'http://127.0.0.1:9');
    await user.write('.cursor/mcp.json', text);
    const { ok, states } = await examine('cursor', {}, '--yes');
    expect([ok, states]).to.deep.equal([false, { entry: 'ok', hooks: 'ok', node: 'broken' }]);
  });

  it('reports a key that is missing, refused, too strong, too weak or about to expire', async () => {
    await connect('cursor', '--transport', 'http');
    expect((await examine('cursor', { SVC_API_KEY: '' })).of('key')?.detail).to.equal('no key is found');
    const refused = await examine('cursor', { SVC_API_KEY: 'a-key-that-nobody-has-registered' });
    expect([refused.states['key'], refused.of('key')?.detail]).to.deep.equal(['broken', 'the node refuses the key']);
    const strong = await examine('cursor', { SVC_API_KEY: at.node.adminKey });
    expect([strong.ok, strong.of('key')?.detail]).to.deep.equal([true, 'the key may administrate']);
    const weak = await examine('cursor', { SVC_API_KEY: await key(['read']) });
    expect([weak.ok, weak.of('key')?.detail]).to.deep.equal([true, 'the key may not write']);
    const soon = await key(['read', 'write'], new Date(Date.now() + 3 * 86_400_000).toISOString());
    expect((await examine('cursor', { SVC_API_KEY: soon })).of('key')?.detail).to.contain('the key ends 2');
    await connect('claude-desktop');
    const { args } = JSON.parse((await user.read('.config/Claude/claude_desktop_config.json')) ?? '').mcpServers[
      'fact-memory'
    ];
    await user.write(args.at(-1), 'short');
    expect((await examine('claude-desktop')).of('entry')?.detail).to.contain('holds no key');
  });

  it('names the made key and its variable where a client over HTTP sends another key or none', async () => {
    await connect('cursor', '--transport', 'http');
    const made = /^start the client with the key in \S+\.key as its variable SVC_API_KEY$/;
    const none = await examine('cursor', { SVC_API_KEY: '' });
    expect(none.of('key')?.fix).to.match(made);
    expect(none.of('mcp')?.fix).to.equal('see to the key first');
    const [file = ''] = /\/\S+\.key/.exec(none.of('key')?.fix ?? '') ?? [];
    const rawKey = ((await user.read(file)) ?? '').trim();
    const strong = await examine('cursor', { SVC_API_KEY: at.node.adminKey });
    expect(strong.findings.find(({ check, state }) => check === 'key' && state === 'warning')?.fix).to.match(made);
    const [one] = (await at.node.ask('GET', '/v1/auth/keys', undefined, rawKey)).body;
    await at.node.ask('DELETE', `/v1/auth/keys/${one.id}`);
    const ended = await examine('cursor', { SVC_API_KEY: rawKey });
    const line = `connect cursor --url ${at.url} --transport http`;
    expect(ended.of('key')?.fix).to.include(`${line}" with --key-file`);
    await user.write('.cursor/mcp.json', '{}');
    expect((await examine('cursor')).of('entry')?.fix).to.equal(`run "fact-memory-node ${line}"`);
  });

  it('advises to connect with the options by which the client was connected', async () => {
    await connect('cursor', '--transport', 'http', '--name', 'notes', '--key-variable', 'NOTES_KEY');
    await user.write('.cursor/mcp.json', '{}');
    expect((await examine('cursor')).of('entry')?.fix).to.equal(
      `run "fact-memory-node connect cursor --url ${at.url} --name notes --transport http --key-variable NOTES_KEY"`,
    );
  });

  it('checks the connection of a project by the command that connect shows', async () => {
    const { stdout } = await user.run([
      'connect',
      'claude-code',
      '--scope',
      'project',
      '--folder',
      user.project,
      '--yes',
    ]);
    const [, shown = ''] = /connected\. "(?:.*?) (doctor [^"]+)" checks/.exec(stdout) ?? [];
    expect(shown).to.equal(`doctor claude-code --scope project --folder ${user.project}`);
    const checked = await user.run(shown.split(' '));
    expect(checked.stdout).to.contain(`${join(user.project, '.mcp.json')} names ${at.url}`);
  });

  it('reports missing hooks, and hooks whose program is gone', async () => {
    await connect('claude-code', '--transport', 'http', '--no-notes');
    const some = await examine('claude-code', { SVC_API_KEY: await key(['read', 'write']) });
    expect([some.states['hooks'], some.of('hooks')?.detail]).to.deep.equal([
      'warning',
      'hooks that are not set up: session-end',
    ]);
    const settings = ((await user.read('.claude/settings.json')) ?? '').replaceAll(process.execPath, '/nowhere/node');
    await user.write('.claude/settings.json', settings);
    const gone = await examine('claude-code');
    expect([gone.ok, gone.of('hooks')?.detail]).to.deep.equal([false, 'the program of a hook is gone: /nowhere/node']);
  });

  it('never shows a key', async () => {
    await connect('cursor', '--transport', 'http');
    const raw = await key(['read', 'write']);
    for (const words of [[], ['--json']]) {
      const { stdout, stderr } = await user.run(['doctor', 'cursor', ...words], { SVC_API_KEY: raw });
      expect(stdout + stderr).not.to.contain(raw);
    }
  });
});
