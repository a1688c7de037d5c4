import { chmod, mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse as parseToml } from 'smol-toml';
import { freePort } from '../../kit/free-port.ts';
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

    it(`leaves a configuration file of ${client} unchanged if it is broken, read-only, a folder or not text`, async () => {
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

  it('prints every command in full with --dry-run, however long it is', async () => {
    const long = `${user.home}/${'deep/'.repeat(60)}fact-memory-node`;
    const { stdout } = await user.run(['connect', 'claude-code', '--dry-run', '--command', long]);
    expect(stdout)
      .to.match(new RegExp(`\\+ .*${long} hook prompt --client claude-code --url ${at.url} --key-file \\S+`))
      .and.not.to.contain('characters)');
  });

  it('makes no key with --dry-run, and says so', async () => {
    const key = 'for Cursor, which may read and write.\n';
    expect((await user.run(['connect', 'cursor', '--dry-run'])).stderr).to.contain(`A key would be made ${key}`);
    expect((await user.run(['connect', 'cursor', '--yes'])).stderr).to.contain(`A key is made ${key}`);
  });

  it('says that the node is down, and connects without a key', async () => {
    const down = await freePort();
    const env = { SVC_URL: `http://127.0.0.1:${down}` };
    const { exitCode, stderr } = await user.run(['connect', 'cursor', '--yes'], env);
    expect(exitCode).to.equal(0);
    expect(stderr).to.contain(`The node at http://127.0.0.1:${down} is down`).and.to.contain('gets no key');
    expect((await user.run(['connect', 'claude-code', '--dry-run'])).stderr).not.to.contain('is down');
  });

  it('asks for confirmation at a terminal after showing the change', async () => {
    const no = await user.runAtTerminal(['connect', 'cursor'], ['n']);
    expect([no.exitCode, await user.files()]).to.deep.equal([1, {}]);
    expect(no.stdout).to.contain('+ ');
    const yes = await user.runAtTerminal(['connect', 'cursor'], ['y']);
    expect([yes.exitCode, await user.read('.cursor/mcp.json')]).to.satisfy(
      ([code, text]: unknown[]) => code === 0 && text !== undefined,
    );
  });

  it('shares notes among projects if the user chooses so, and remembers the choice', async () => {
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
    check('gemini-cli', json(await user.read('.gemini/settings.json')).mcpServers['fact-memory']);
    check('zed', json(await user.read('.config/zed/settings.json')).context_servers['fact-memory']);
    const { type, command } = json(await user.read('.config/opencode/opencode.json')).mcp['fact-memory'];
    expect(type).to.equal('local');
    check('opencode', { command: command[0], args: command.slice(1) });
    // biome-ignore lint/suspicious/noExplicitAny: files of other programs have no type
    const toml = parseToml((await user.read('.codex/config.toml')) ?? '') as any;
    check('codex', toml.mcp_servers['fact-memory']);
  });

  it('writes an HTTP server in the format of each client, with a reference to the key', async () => {
    for (const client of ['claude-code', 'cursor', 'vscode', 'codex', 'gemini-cli', 'opencode']) {
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
    expect(json(await user.read('.gemini/settings.json')).mcpServers['fact-memory']).to.deep.equal({
      httpUrl: url,
      headers: bearer('SVC_API_KEY'),
    });
    expect(json(await user.read('.config/opencode/opencode.json')).mcp['fact-memory']).to.deep.equal({
      type: 'remote',
      url,
      headers: { Authorization: 'Bearer {env:SVC_API_KEY}' },
      oauth: false,
    });
    for (const client of ['claude-desktop', 'zed']) {
      const refused = await user.run(['connect', client, '--yes', '--transport', 'http']);
      expect([refused.exitCode, refused.stderr]).to.satisfy(
        ([code_, text]: [number, string]) => code_ === 1 && text.includes('--transport must be stdio'),
      );
    }
  });

  it('writes the hooks that each client documents, and none with --no-hooks', async () => {
    for (const client of CLIENT_NAMES) await user.run(['connect', client, '--yes']);
    const events = async (file: string) => Object.keys(json(await user.read(file)).hooks);
    expect(await events('.claude/settings.json')).to.deep.equal(['SessionStart', 'UserPromptSubmit', 'SessionEnd']);
    expect(await events('.cursor/hooks.json')).to.deep.equal(['sessionStart', 'sessionEnd']);
    expect(await events('.copilot/hooks/fact-memory.json')).to.deep.equal(['SessionStart', 'Stop']);
    expect(await events('.codex/hooks.json')).to.deep.equal(['SessionStart', 'UserPromptSubmit', 'Stop']);
    expect(await events('.gemini/settings.json')).to.deep.equal(['SessionStart', 'BeforeAgent', 'AfterAgent']);
    const [[module, commands]] = json(await user.read('.config/opencode/opencode.json')).plugin;
    expect(await import(module))
      .to.have.nested.property('default.server')
      .that.is.a('function');
    expect(Object.keys(commands)).to.deep.equal(['session-start', 'prompt', 'session-end']);
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

  it('adds a server and its hooks to one file in one write, and removes both again', async () => {
    const before = '// mine\n{\n  "ui": { "theme": "dark" }\n}\n';
    for (const file of ['.gemini/settings.json', '.config/opencode/opencode.json']) await user.write(file, before);
    for (const client of ['gemini-cli', 'opencode']) {
      const file = CLIENT_FILES[client as 'gemini-cli'].user[0];
      await user.run(['connect', client, '--yes', '--no-notes']);
      expect((await user.read(file))?.match(/ hook (?:session-start|prompt) --client /g), file).to.have.lengthOf(2);
      expect(await user.read(file))
        .to.contain('// mine')
        .and.not.to.contain('hook session-end');
      await user.run(['connect', client, '--yes', '--no-hooks']);
      expect(await user.read(file))
        .to.contain('"fact-memory"')
        .and.not.to.contain(' hook ');
      await user.run(['disconnect', client, '--yes']);
      expect(await user.read(file)).to.equal(before);
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
    expect(stdout).to.match(/opencode +no +no +stdio, http +session-start, prompt, session-end/);
    expect(stdout).to.match(/zed +no +no +stdio +none/);
    expect(stdout).to.match(/claude-desktop +no +no +stdio +none/);
    expect((await user.run(['connect', 'emacs'])).stderr).to.contain('name one of: claude-code');
    expect((await user.run(['disconnect', 'cursor', '--yes'])).exitCode).to.equal(1);
  });
});
