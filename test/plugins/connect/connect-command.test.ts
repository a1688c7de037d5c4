import { chmod, lstat, mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse as parseToml } from 'smol-toml';
import { CLIENT_FILES, CLIENT_NAMES, serverFileOf } from './client-files.ts';
import { type ConnectedUser, connectUser, PROGRAM } from './connected-user.ts';

// biome-ignore lint/suspicious/noExplicitAny: files of other programs have no type
const json = (text: string | undefined): any => JSON.parse(text ?? '');

describe('the command connect', () => {
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

  for (const client of CLIENT_NAMES) {
    it(`writes the configuration that ${client} reads, and removes it again`, async () => {
      const done = await user.run(['connect', client, '--yes']);
      expect(done.exitCode, done.stderr).to.equal(0);
      for (const file of CLIENT_FILES[client].user) expect(await user.read(file), file).to.be.a('string');
      const again = await user.run(['connect', client, '--yes']);
      expect(again.stdout).to.contain('nothing changes');
      const over = await user.run(['disconnect', client, '--yes']);
      expect(over.exitCode, over.stderr).to.equal(0);
      for (const file of CLIENT_FILES[client].user) expect(await user.read(file), file).to.equal(undefined);
    });

    it(`only shows the change for ${client} with --dry-run and without --yes`, async () => {
      const dry = await user.run(['connect', client, '--dry-run']);
      expect([dry.exitCode, await user.files()]).to.deep.equal([0, {}]);
      expect(dry.stdout)
        .to.contain(`${serverFileOf(client, user.home)} (new file)`)
        .and.to.contain('+ ');
      const unasked = await user.run(['connect', client]);
      expect([unasked.exitCode, await user.files()]).to.deep.equal([1, {}]);
      expect(unasked.stderr).to.contain('add --yes');
    });

    it(`leaves a file of ${client} that is broken, read-only, a folder or not text unchanged`, async () => {
      const file = serverFileOf(client, user.home);
      for (const broken of ['{ "a": ', '[servers', '\u0000']) {
        await user.write(file, broken);
        const { exitCode, stderr } = await user.run(['connect', client, '--yes']);
        expect([exitCode, await user.read(file)], broken).to.deep.equal([1, broken]);
        expect(stderr).to.contain(file);
      }
      const valid = client === 'codex' ? 'a = 1\n' : '{}';
      await user.write(file, valid);
      await chmod(file, 0o444);
      const { exitCode, stderr } = await user.run(['connect', client, '--yes']);
      expect([exitCode, await user.read(file)]).to.deep.equal([1, valid]);
      expect(stderr).to.contain('read-only');
      expect(await user.read('.config/fact-memory-node/connections')).to.equal(undefined);
    });
  }

  it('asks for confirmation at a terminal after showing the change', async () => {
    const no = await user.runAtTerminal(['connect', 'cursor'], ['n']);
    expect([no.exitCode, await user.files()]).to.deep.equal([1, {}]);
    expect(no.stdout).to.contain('+ ');
    const yes = await user.runAtTerminal(['connect', 'cursor'], ['y']);
    expect([yes.exitCode, await user.read('.cursor/mcp.json')]).to.satisfy(
      ([code, text]: unknown[]) => code === 0 && text !== undefined,
    );
  });

  it('shares notes among projects if the user says so, and keeps that choice', async () => {
    const hooks = '.claude/settings.json';
    await user.runAtTerminal(['connect', 'claude-code'], ['y']);
    expect(await user.read(hooks)).not.to.contain('--share-notes');
    await user.run(['disconnect', 'claude-code', '--yes']);
    const shared = await user.runAtTerminal(['connect', 'claude-code'], ['s']);
    expect(shared.exitCode).to.equal(0);
    expect((await user.read(hooks))?.match(/--share-notes/g)).to.have.lengthOf(2);
    await user.run(['connect', 'claude-code', '--yes']);
    expect((await user.read(hooks))?.match(/--share-notes/g)).to.have.lengthOf(2);
    const other = await user.run(['connect', 'codex', '--share-notes', '--yes']);
    expect([other.exitCode, await user.read('.codex/hooks.json')]).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes('--share-notes'),
    );
  });

  it('writes a stdio server in the format of each client', async () => {
    for (const client of CLIENT_NAMES) await user.run(['connect', client, '--yes']);
    const key = (client: string) => new RegExp(`^${user.home}/.config/fact-memory-node/clients/${client}-\\w+\\.key$`);
    // biome-ignore lint/suspicious/noExplicitAny: files of other programs have no type
    const check = (client: string, entry: any) => {
      expect([entry.command, ...entry.args.slice(0, -1)]).to.deep.equal([
        ...PROGRAM,
        'mcp',
        '--url',
        at.url,
        '--key-file',
      ]);
      expect(entry.args.at(-1)).to.match(key(client));
    };
    check('claude-code', json(await user.read('.claude.json')).mcpServers['fact-memory']);
    check('cursor', json(await user.read('.cursor/mcp.json')).mcpServers['fact-memory']);
    check('vscode', json(await user.read('.config/Code/User/mcp.json')).servers['fact-memory']);
    check(
      'claude-desktop',
      json(await user.read('.config/Claude/claude_desktop_config.json')).mcpServers['fact-memory'],
    );
    // biome-ignore lint/suspicious/noExplicitAny: files of other programs have no type
    const toml = parseToml((await user.read('.codex/config.toml')) ?? '') as any;
    check('codex', toml.mcp_servers['fact-memory']);
  });

  it('writes an HTTP server in the format of each client, with a reference to the key', async () => {
    for (const client of ['claude-code', 'cursor', 'vscode', 'codex']) {
      const { exitCode, stderr } = await user.run(['connect', client, '--yes', '--transport', 'http']);
      expect(exitCode, stderr).to.equal(0);
    }
    const url = `${at.url}/v1/mcp`;
    const bearer = (reference: string) => ({ Authorization: `Bearer $\{${reference}}` });
    expect(json(await user.read('.claude.json')).mcpServers['fact-memory']).to.deep.equal({
      type: 'http',
      url,
      headers: bearer('SVC_API_KEY'),
    });
    expect(json(await user.read('.cursor/mcp.json')).mcpServers['fact-memory']).to.deep.equal({
      url,
      headers: bearer('env:SVC_API_KEY'),
    });
    const code = json(await user.read('.config/Code/User/mcp.json'));
    expect(code.servers['fact-memory']).to.deep.equal({
      type: 'http',
      url,
      headers: bearer('input:fact-memory-key'),
    });
    expect(code.inputs).to.have.lengthOf(1);
    expect(code.inputs[0]).to.include({ type: 'promptString', id: 'fact-memory-key', password: true });
    expect(await user.read('.codex/config.toml')).to.contain('bearer_token_env_var = "SVC_API_KEY"');
    const refused = await user.run(['connect', 'claude-desktop', '--yes', '--transport', 'http']);
    expect([refused.exitCode, refused.stderr]).to.satisfy(
      ([code_, text]: [number, string]) => code_ === 1 && text.includes('--transport must be stdio'),
    );
  });

  it('writes the hooks that each client documents, and none with --no-hooks', async () => {
    for (const client of CLIENT_NAMES) await user.run(['connect', client, '--yes']);
    const events = async (file: string) => Object.keys(json(await user.read(file)).hooks);
    expect(await events('.claude/settings.json')).to.deep.equal(['SessionStart', 'UserPromptSubmit', 'SessionEnd']);
    expect(await events('.cursor/hooks.json')).to.deep.equal(['sessionStart', 'sessionEnd']);
    expect(await events('.copilot/hooks/fact-memory.json')).to.deep.equal(['SessionStart', 'Stop']);
    expect(await events('.codex/hooks.json')).to.deep.equal(['SessionStart', 'UserPromptSubmit', 'Stop']);
    expect(json(await user.read('.cursor/hooks.json')).version).to.equal(1);
    const [group] = json(await user.read('.claude/settings.json')).hooks.UserPromptSubmit;
    expect(group.hooks[0]).to.include({ type: 'command', timeout: 5 });
    expect(group.hooks[0].command).to.contain(`${PROGRAM.join(' ')} hook prompt --client claude-code --url ${at.url}`);
    const other = await connectUser(at.node);
    try {
      await other.run(['connect', 'claude-code', '--yes', '--no-hooks']);
      expect(await other.read('.claude/settings.json')).to.equal(undefined);
    } finally {
      await other.stop();
    }
  });

  it('removes the hooks with --no-hooks, and replaces an earlier server entry', async () => {
    await user.write('.claude/settings.json', '{\n\t"model": "x"\n}\n');
    await user.run(['connect', 'claude-code', '--yes']);
    await user.run(['connect', 'claude-code', '--yes', '--no-hooks', '--transport', 'http', '--name', 'notes']);
    expect(await user.read('.claude/settings.json')).to.equal('{\n\t"model": "x"\n}\n');
    expect(Object.keys(json(await user.read('.claude.json')).mcpServers)).to.deep.equal(['notes']);
    await user.run(['disconnect', 'claude-code', '--yes']);
    expect(await user.read('.claude.json')).to.equal(undefined);
  });

  it('never writes a key or a path of this machine into the files of a project', async () => {
    for (const client of CLIENT_NAMES.filter((name) => name !== 'claude-desktop')) {
      const place = ['--scope', 'project', '--folder', user.project];
      const { exitCode, stderr } = await user.run(['connect', client, '--yes', ...place]);
      expect(exitCode, stderr).to.equal(0);
      for (const file of CLIENT_FILES[client].project)
        expect(await user.read(join(user.project, file))).to.be.a('string');
    }
    for (const [file, text] of Object.entries(await user.files(user.project))) {
      expect(text, file).not.to.contain(user.home).and.not.to.contain(process.execPath).and.not.to.contain('key-file');
      expect(text, file).to.contain('fact-memory-node').and.to.contain(at.url);
    }
    const none = await user.run(['connect', 'claude-desktop', '--yes', '--scope', 'project']);
    expect(none.stderr).to.contain('--scope must be user');
  });

  it('creates a read-write key in a private file, and revokes it with the last connection', async () => {
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

  it('uses a key from a file that is not an administrator’s, and does not revoke it', async () => {
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

  it('connects without a key while the node is unreachable, but needs the node for a key from a file', async () => {
    const away = { SVC_URL: 'http://127.0.0.1:9', SVC_API_KEY: '' };
    const done = await user.run(['connect', 'cursor', '--yes'], away);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(done.stderr).to.contain('gets no key');
    await user.write('some.key', 'a-key-of-nobody-knows-whom-0123456789');
    const file = join(user.home, 'some.key');
    const refused = await user.run(['connect', 'vscode', '--yes', '--key-file', file], away);
    expect([refused.exitCode, await user.read('.config/Code/User/mcp.json')]).to.deep.equal([1, undefined]);
  });

  it('follows a symbolic link of the user, but refuses one that leaves a project or is broken', async () => {
    await user.write('dotfiles/mcp.json', '{}\n');
    await mkdir(join(user.home, '.cursor'));
    await symlink(join(user.home, 'dotfiles/mcp.json'), join(user.home, '.cursor/mcp.json'));
    await user.run(['connect', 'cursor', '--yes', '--no-hooks']);
    expect(await readlink(join(user.home, '.cursor/mcp.json'))).to.equal(join(user.home, 'dotfiles/mcp.json'));
    expect(await user.read('dotfiles/mcp.json')).to.contain('fact-memory');
    await user.run(['disconnect', 'cursor', '--yes']);
    expect(await user.read('dotfiles/mcp.json')).to.equal('{}\n');

    const place = ['--scope', 'project', '--folder', user.project, '--yes'];
    await user.write('secret.json', '{}\n');
    await symlink(join(user.home, 'secret.json'), join(user.project, '.mcp.json'));
    const out = await user.run(['connect', 'claude-code', ...place]);
    expect([out.exitCode, await user.read('secret.json')]).to.deep.equal([1, '{}\n']);
    expect(out.stderr).to.contain('leads out of the project');
    await symlink(join(user.home, 'dotfiles'), join(user.project, '.cursor'));
    const folder = await user.run(['connect', 'cursor', ...place]);
    expect([folder.exitCode, await user.read('dotfiles/hooks.json')]).to.deep.equal([1, undefined]);
    await rm(join(user.project, '.mcp.json'));
    expect((await user.run(['connect', 'claude-code', ...place, '--no-hooks'])).exitCode).to.equal(0);
    await rm(join(user.project, '.mcp.json'));
    await symlink(join(user.home, 'secret.json'), join(user.project, '.mcp.json'));
    const undone = await user.run(['disconnect', 'claude-code', ...place, '--force']);
    expect([undone.exitCode, await user.read('secret.json')]).to.deep.equal([1, '{}\n']);
    expect(undone.stderr).to.contain('leads out of the project');
    await symlink(join(user.home, 'nowhere.json'), join(user.home, '.claude.json'));
    expect((await user.run(['connect', 'claude-code', '--yes'])).stderr).to.contain('link to a file that is not there');
  });

  it('lists the clients, and shows which are installed and which are connected', async () => {
    await user.run(['connect', 'codex', '--yes']);
    const { stdout } = await user.run(['connect']);
    expect(stdout).to.match(/^client +found here +connected +transports +hooks\n/);
    expect(stdout).to.match(/codex +yes +user +stdio, http +session-start, prompt, session-end/);
    expect(stdout).to.match(/claude-desktop +no +no +stdio +none/);
    expect((await user.run(['connect', 'emacs'])).stderr).to.contain('name one of: claude-code');
    expect((await user.run(['disconnect', 'cursor', '--yes'])).exitCode).to.equal(1);
  });
});
