import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CuttingProxy, startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { type ConnectedUser, connectUser } from './connected-user.ts';

// biome-ignore lint/suspicious/noExplicitAny: files of other programs have no type
const json = (text: string | undefined): any => JSON.parse(text ?? '');

describe('the key that connect gives to a client', () => {
  let at: ConnectedUser;
  before(async () => {
    at = await connectUser();
  });
  after(() => at.stop());
  let user: ConnectedUser;
  beforeEach(async () => {
    user = await connectUser(at.node);
  });
  afterEach(() => user.stop());

  it('may read and write, is stored in a private file, and is revoked with the last connection', async () => {
    await user.run(['connect', 'cursor', '--yes']);
    const { args } = json(await user.read('.cursor/mcp.json')).mcpServers['fact-memory'];
    const file = args.at(-1) as string;
    expect((await lstat(file)).mode & 0o777).to.equal(0o600);
    const key = ((await user.read(file)) ?? '').trim();
    const me = await at.node.ask('GET', '/v1/me', undefined, key);
    expect(me.body).to.deep.include({ entity_uri: 'agent:cursor-noor', permissions: ['read', 'write'] });
    for (const [path, text] of Object.entries(await user.files())) {
      if (!path.endsWith('.key')) expect(text, path).not.to.contain(key).and.not.to.contain(at.node.adminKey);
    }
    await user.run(['disconnect', 'cursor', '--yes']);
    expect(await user.read(file)).to.equal(undefined);
    expect((await at.node.ask('GET', '/v1/me', undefined, key)).status).to.equal(401);
  });

  it('is taken from the given file, unless an administrator owns it, and is then never revoked', async () => {
    const raw_key = 'a-key-of-a-plain-user-0123456789abcdef';
    await at.node.ask('POST', '/v1/auth/keys', { raw_key, entity_uri: 'agent:plain' });
    await user.write('plain.key', `${raw_key}\n`);
    const file = join(user.home, 'plain.key');
    const done = await user.run(['connect', 'cursor', '--yes', '--key-file', file]);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(json(await user.read('.cursor/mcp.json')).mcpServers['fact-memory'].args.at(-1)).to.equal(file);
    await user.run(['disconnect', 'cursor', '--yes']);
    expect((await at.node.ask('GET', '/v1/me', undefined, raw_key)).status).to.equal(200);
  });

  it('is named with the way to it where the client sends a variable or asks', async () => {
    const cursor = await user.run(['connect', 'cursor', '--yes', '--transport', 'http', '--key-variable', 'MY_KEY']);
    const [file = ''] = /\/\S+\.key/.exec(cursor.stderr) ?? [];
    expect(cursor.stderr).to.contain(`Cursor sends the key in its variable MY_KEY: start it`);
    expect(cursor.stderr).to.contain(`export MY_KEY="$(cat ${file})"`);
    const key = ((await user.read(file)) ?? '').trim();
    const me = await at.node.ask('GET', '/v1/me', undefined, key);
    expect(me.body).to.deep.include({ permissions: ['read', 'write'] });
    const vscode = await user.run(['connect', 'vscode', '--yes', '--transport', 'http']);
    expect(vscode.stderr).to.match(/VS Code asks for the key once: it is in \/\S+\.key\./);
    const stdio = await user.run(['connect', 'gemini-cli', '--yes']);
    expect(stdio.stderr).not.to.contain('in its variable');
    for (const client of ['cursor', 'vscode', 'gemini-cli']) await user.run(['disconnect', client, '--yes']);
  });

  it('is not made where the node refuses the key of the command, and the command says so', async () => {
    const refused = { SVC_API_KEY: 'a-key-that-nobody-has-registered' };
    const done = await user.run(['connect', 'cursor', '--yes'], refused);
    expect(done.stderr).to.contain(`The node at ${at.url} refuses the key of this command.`).and.contain('gets no key');
    const without = await user.run(['connect', 'cursor', '--yes', '--name', 'other'], { SVC_API_KEY: '' });
    expect(without.stderr).to.contain('gets no key').and.not.contain('refuses');
    expect(await user.run(['connect', 'claude-code', '--yes']))
      .to.have.property('stderr')
      .that.does.not.contain('refuses');
  });

  it('is left out while the node is unreachable, and then a key from a file is refused', async () => {
    const away = { SVC_URL: 'http://127.0.0.1:9', SVC_API_KEY: '' };
    const done = await user.run(['connect', 'cursor', '--yes'], away);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(done.stderr).to.contain('gets no key');
    await user.write('some.key', 'a-key-of-nobody-knows-whom-0123456789');
    const file = join(user.home, 'some.key');
    const refused = await user.run(['connect', 'vscode', '--yes', '--key-file', file], away);
    expect([refused.exitCode, await user.read('.config/Code/User/mcp.json')]).to.deep.equal([1, undefined]);
  });

  describe('without a reply to its registration', () => {
    let proxy: CuttingProxy;
    let away: { readonly SVC_URL: string };
    beforeEach(async () => {
      proxy = await startCuttingProxy(at.node.url);
      away = { SVC_URL: proxy.url };
    });
    afterEach(() => proxy.close());

    const keysOf = async (entity: string): Promise<readonly unknown[]> =>
      (await at.node.ask('GET', `/v1/auth/keys?all=true&search=${entity}`)).body;

    it('stays in its file, which the same command goes on with', async () => {
      proxy.cutAnswerTo('POST /v1/auth/keys');
      const cut = await user.run(['connect', 'zed', '--yes'], away);
      expect(cut.exitCode).to.equal(1);
      expect(cut.stderr).to.contain('may be registered').and.to.contain('the same command again');
      expect(await keysOf('agent:zed')).to.have.length(1);
      const again = await user.run(['connect', 'zed', '--yes'], away);
      expect(again.exitCode, again.stderr).to.equal(0);
      expect(await keysOf('agent:zed')).to.have.length(1);
      await user.run(['disconnect', 'zed', '--yes'], away);
      expect(await keysOf('agent:zed')).to.deep.equal([]);
    });

    it('stays with the user for a project, and gives way to another one if it was not registered', async () => {
      const given = ['connect', 'opencode', '--scope', 'project', '--folder', user.project, '--yes'];
      proxy.cutAnswerTo('POST /v1/auth/keys');
      expect((await user.run(given, away)).stderr).to.contain('may be registered');
      const [left] = (await keysOf('agent:opencode')) as readonly { readonly id: string }[];
      await at.node.ask('DELETE', `/v1/auth/keys/${left?.id}`);
      expect((await user.run(given, away)).exitCode).to.equal(0);
      expect(await keysOf('agent:opencode')).to.have.length(1);
    });
  });
});
