import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { removeDrafts } from '../../../kernel/internal-api.ts';
import { writeWholeFile } from '../../../plugins/connect/config-file.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { CLIENT_NAMES, type ClientName, serverFileOf } from './client-files.ts';
import { type ConnectedUser, connectUser } from './connected-user.ts';

const JSON_CLIENTS = CLIENT_NAMES.filter((name) => name !== 'codex');

/** Configuration files as users have them, in every style that editors produce. */
const JSON_FORMS: Readonly<Record<string, string>> = {
  'an empty file': '',
  'an empty object': '{}',
  'only white space': '  \n',
  'only a comment': '// servers of mine\n{\n  // none yet\n}\n',
  'comments and trailing commas': '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }, /* last */\n  },\n}\n',
  'Windows line endings': '{\r\n    "servers": {\r\n        "a": { "command": "x" }\r\n    }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "mcpServers": {}\n}\n',
  tabs: '{\n\t"hooks": {\n\t\t"Stop": []\n\t},\n\t"inputs": []\n}\n',
  'one line': '{"mcpServers":{"a":{"command":"x"}},"hooks":{"SessionStart":[{"hooks":[]}]},"version":1}',
  'comments after and below entries':
    '{\n  "mcpServers": {\n    "a": {} // one\n    // two\n  } /* three */ // four\n  // five\n}\n',
  'comments in empty objects': '{\n  "servers": { // mine\n  },\n  "mcpServers": {\n    // none\n  }\n}\n',
  'no final line ending': '{\n  "other": "ünïcode \\u2028 \\" // no comment"\n}',
};

const TOML_FORMS: Readonly<Record<string, string>> = {
  'an empty file': '',
  'only a comment': '# settings of mine',
  'tables and comments': '# mine\nmodel = "x"\n\n[mcp_servers.a] # the first\ncommand = "x"\nargs = ["1"]\n\n',
  'Windows line endings': 'model = "x"\r\n\r\n[mcp_servers.a]\r\ncommand = "x"\r\n',
  'a byte order mark': '\uFEFFmodel = "x"\n',
  'no final line ending': '[features]\nhooks = true',
  'lists of tables': '[[profiles]]\nname = "a"\n[profiles.inner]\nx = 1\n',
};

describe('configuration files of connected clients', () => {
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

  const connect = (client: ClientName, ...more: string[]) => user.run(['connect', client, '--yes', ...more]);
  const disconnect = (client: ClientName, ...more: string[]) => user.run(['disconnect', client, '--yes', ...more]);

  const comesBack = async (client: ClientName, text: string): Promise<void> => {
    const file = serverFileOf(client, user.home);
    await user.write(file, text);
    const done = await connect(client, '--no-hooks');
    expect(done.exitCode, done.stderr).to.equal(0);
    const written = (await user.read(file)) ?? '';
    expect(written)
      .to.contain('fact-memory')
      .and.to.satisfy((now: string) => now.startsWith('\uFEFF') === text.startsWith('\uFEFF'));
    // A file has one kind of line ending after the change.
    if (text.includes('\r\n')) expect(written.replaceAll('\r\n', '')).not.to.contain('\n');
    expect((await connect(client, '--no-hooks')).stdout).to.contain('nothing changes');
    expect(await user.read(file)).to.equal(written);
    const over = await disconnect(client);
    expect(over.exitCode, over.stderr).to.equal(0);
    expect(await user.read(file)).to.equal(text);
  };

  for (const [form, text] of Object.entries(JSON_FORMS)) {
    it(`are restored byte by byte on disconnect: JSON with ${form}`, async () => {
      for (const client of JSON_CLIENTS) await comesBack(client, text);
    });
  }
  for (const [form, text] of Object.entries(TOML_FORMS)) {
    it(`are restored byte by byte on disconnect: TOML with ${form}`, () => comesBack('codex', text));
  }

  it('lose the draft beside them that a killed run has left', async () => {
    const draft = '.cursor/.mcp.json.5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11.partial';
    await user.write(draft, '{');
    const done = await user.run(['connect', 'cursor', '--yes']);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(await user.read(draft)).to.equal(undefined);
  });

  it('are written whole also where another process takes the draft for one that was left', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'mcp.json');
      let taken = 0;
      const take = async (): Promise<void> => {
        taken += 1;
        if (taken < 3) await removeDrafts(file);
      };
      await writeWholeFile(file, '{}', 0o600, createSeededRandom(), take);
      expect([readdirSync(folder), readFileSync(file, 'utf8')]).to.deep.equal([['mcp.json'], '{}']);
    }));

  it('are restored byte by byte on disconnect, with any other content', async () => {
    const text = fc
      .tuple(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(0, 1, 2, '\t'), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([other, indent, eol, ends]) => {
        const root = typeof other === 'object' && other !== null && !Array.isArray(other) ? other : { other };
        const body = JSON.stringify(root, undefined, indent).replaceAll('\n', eol);
        return `${body}${ends ? eol : ''}`;
      });
    const file = serverFileOf('cursor', user.home);
    await fc.assert(
      fc.asyncProperty(text, async (before) => {
        await user.write(file, before);
        const { exitCode } = await connect('cursor', '--no-hooks');
        if (exitCode === 0) {
          expect(JSON.parse((await user.read(file)) ?? '')).to.deep.include({ ...JSON.parse(before) });
          await disconnect('cursor');
        }
        expect(await user.read(file)).to.equal(before);
      }),
      { numRuns: RUNS },
    );
  });

  it('keep comments and member order around the new entry', async () => {
    await user.write('.cursor/mcp.json', JSON_FORMS['comments and trailing commas'] ?? '');
    await connect('cursor', '--no-hooks');
    const text = (await user.read('.cursor/mcp.json')) ?? '';
    expect(text).to.contain('  // mine\n').and.to.contain('"a": { "command": "x" }').and.to.contain('/* last */');
    expect(text.indexOf('"a"')).to.be.below(text.indexOf('"fact-memory"'));
  });

  it('keep comments of neighbouring entries in place, also when a changed file is disconnected', async () => {
    for (const form of [
      'comments after and below entries',
      'comments in empty objects',
      'comments and trailing commas',
      'tabs',
    ]) {
      const before = `${JSON_FORMS[form]}`;
      for (const client of ['cursor', 'vscode'] as const) {
        const file = serverFileOf(client, user.home);
        await user.write(file, before);
        await connect(client, '--no-hooks', ...(client === 'vscode' ? ['--transport', 'http'] : []));
        const written = (await user.read(file)) ?? '';
        for (const line of before.split('\n').filter((one) => one.includes('//') || one.includes('/*'))) {
          expect(written.replaceAll(',', ''), `${form} ${client}`).to.contain(line.replaceAll(',', ''));
        }
        await user.write(file, `${written}// more\n`);
        const { exitCode, stderr } = await disconnect(client);
        expect(exitCode, stderr).to.equal(0);
        const tidy = (text: string | undefined) => text?.replaceAll(/\s+/g, '');
        expect(tidy(await user.read(file)), `${form} ${client}`).to.equal(tidy(`${before}// more\n`));
      }
    }
  });

  it('keep later changes by the user when the connection is removed', async () => {
    await user.write('.claude/settings.json', '{\n  "model": "a"\n}\n');
    await connect('claude-code');
    const settings = (await user.read('.claude/settings.json')) ?? '';
    await user.write('.claude/settings.json', settings.replace('"model": "a"', '"model": "b" /* better */'));
    const servers = JSON.parse((await user.read('.claude.json')) ?? '');
    await user.write('.claude.json', JSON.stringify({ numStartups: 3, ...servers, other: [1] }, undefined, 2));
    const over = await disconnect('claude-code');
    expect(over.exitCode, over.stderr).to.equal(0);
    expect(await user.read('.claude/settings.json')).to.equal('{\n  "model": "b" /* better */\n}\n');
    expect(JSON.parse((await user.read('.claude.json')) ?? '')).to.deep.equal({ numStartups: 3, other: [1] });
  });

  it('keep servers and hooks that the user added later', async () => {
    await connect('codex');
    const toml = (await user.read('.codex/config.toml')) ?? '';
    await user.write('.codex/config.toml', `model = "x"\n${toml}\n[mcp_servers.mine]\ncommand = "y"\n`);
    const hooks = JSON.parse((await user.read('.codex/hooks.json')) ?? '');
    hooks.hooks.Stop.push({ hooks: [{ type: 'command', command: 'mine' }] });
    await user.write('.codex/hooks.json', JSON.stringify(hooks));
    expect((await disconnect('codex')).exitCode).to.equal(0);
    expect(await user.read('.codex/config.toml')).to.equal('model = "x"\n\n[mcp_servers.mine]\ncommand = "y"\n');
    expect(JSON.parse((await user.read('.codex/hooks.json')) ?? '')).to.deep.equal({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
    });
  });

  it('keep an entry that the user has changed, with an error, until --force', async () => {
    for (const client of ['cursor', 'codex'] as const) {
      await connect(client, '--no-hooks');
      const file = serverFileOf(client, user.home);
      const text = ((await user.read(file)) ?? '').replace('"mcp"', '"mcp", "--read-only"');
      await user.write(file, text);
      const left = await disconnect(client);
      expect([left.exitCode, await user.read(file)]).to.deep.equal([1, text]);
      expect(left.stderr).to.contain('was changed since').and.to.contain('--force');
      const forced = await disconnect(client, '--force');
      expect([forced.exitCode, await user.read(file)], forced.stderr).to.deep.equal([0, undefined]);
    }
  });

  it('keep a server entry of the same name that the user wrote by hand', async () => {
    await user.write('.cursor/mcp.json', '{"mcpServers":{"fact-memory":{"url":"https://other.example/v1/mcp"}}}');
    await user.write('.codex/config.toml', 'mcp_servers = { fact-memory = { command = "x" } }\n');
    for (const client of ['cursor', 'codex'] as const) {
      const before = await user.read(serverFileOf(client, user.home));
      const { exitCode, stderr } = await connect(client);
      expect([exitCode, await user.read(serverFileOf(client, user.home))]).to.deep.equal([1, before]);
      expect(stderr).to.contain('did not write').and.to.contain('--name');
    }
    expect((await connect('cursor', '--name', 'memory')).exitCode).to.equal(0);
    // A TOML inline table cannot be extended by another table.
    expect((await connect('codex', '--name', 'memory')).stderr).to.contain('to which no table can be added');
  });

  it('are left unchanged, with an error, if a member occurs twice or has an unexpected type', async () => {
    for (const text of ['{"mcpServers":{},"mcpServers":{"b":{}}}', '{"mcpServers":[]}', '[]', '"x"', 'null']) {
      await user.write('.cursor/mcp.json', text);
      const { exitCode } = await connect('cursor', '--no-hooks');
      expect([exitCode, await user.read('.cursor/mcp.json')], text).to.deep.equal([1, text]);
    }
  });

  it('are copied before a change, and the copies remain', async () => {
    await user.write('.cursor/mcp.json', '{ "mine": 1 }');
    await connect('cursor', '--no-hooks');
    await disconnect('cursor');
    const copies = Object.entries(await user.files()).filter(([path]) => path.endsWith('.bak'));
    expect(copies.map(([, text]) => text)).to.deep.equal(['{ "mine": 1 }']);
  });

  it('show no unrelated lines in the preview of a change', async () => {
    await user.write(
      '.claude.json',
      '{\n  "mcpServers": {\n    "a": { "env": { "TOKEN": "hunter2" } }\n  },\n  "z": "s3cret"\n}\n',
    );
    const { stdout } = await user.run(['connect', 'claude-code', '--dry-run', '--no-hooks']);
    expect(stdout).to.contain('+     "fact-memory": {').and.not.to.contain('s3cret');
    await user.write('.claude.json', JSON.stringify({ mcpServers: { a: { env: { TOKEN: 'hunter2'.repeat(40) } } } }));
    const long = await user.run(['connect', 'claude-code', '--dry-run', '--no-hooks']);
    expect(long.stdout)
      .to.match(/- \(a line of \d+ characters\)\n {2}\+ … .*"fact-memory":.* …\n/)
      .and.not.to.contain('hunter2');
  });
});
