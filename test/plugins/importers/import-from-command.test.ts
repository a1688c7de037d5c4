import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadCommands } from '../../../config/load-commands.ts';
import { openNode } from '../../../config/open-node.ts';
import { defineImportFormat } from '../../../plugins/importers/importers-api.ts';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { samplePath } from './imported-facts.ts';

describe('the command import-from', () => {
  it('lists the formats and how to export each', async () => {
    const { exitCode, stdout } = await runInProcess(['import-from', '--list']);
    expect(exitCode).to.equal(0);
    for (const name of ['mem0', 'zep', 'letta', 'basic-memory', 'chatgpt', 'claude', 'mcp-memory', 'csv']) {
      expect(stdout).to.match(new RegExp(`^${name} `, 'm'));
    }
    expect(stdout).to.contain('Export data');
  });

  for (const [argv, complaint] of [
    [['nothing-known', 'x'], 'the formats are: mem0, zep'],
    [[], 'the name of the format is missing'],
    [['chatgpt'], 'the file or folder of the export is missing'],
    [['chatgpt', '/nowhere/at/all'], 'there is no file or folder'],
    [['mem0', samplePath('mem0-lines.jsonl'), '--scope', 'world', '--dry-run'], '--scope must be one of'],
    [['mem0', samplePath('mem0-lines.jsonl'), '--utc-offset', '2', '--dry-run'], '--utc-offset must be'],
    [['csv', samplePath('people.csv'), '--dry-run'], '--map does not say what the entity'],
    [['csv', samplePath('people.csv'), '--dry-run', '--map', 'entity=nope,relation==r:x,value=role'], 'no column'],
    [['csv', samplePath('people.csv'), '--dry-run', '--map', 'colour=id'], 'which is no member of a fact'],
    [['csv', samplePath('people.csv'), '--dry-run', '--map', '/none.json'], 'there is no file'],
  ] as const) {
    it(`prints a hint for invalid arguments: ${argv.join(' ') || 'no arguments'}`, async () => {
      const { exitCode, stderr } = await runInProcess(['import-from', ...argv]);
      expect(exitCode).to.equal(1);
      expect(stderr).to.contain(complaint);
    });
  }

  for (const [given, sample, meant] of [
    ['chatgpt', 'claude', 'claude'],
    ['claude', 'chatgpt', 'chatgpt'],
    ['mem0', 'zep', 'zep'],
    ['claude', 'mem0-lines.jsonl', 'mem0'],
    ['zep', 'memory.jsonl', 'mcp-memory'],
    ['mem0', 'letta-lists.af', 'letta'],
    ['letta', 'notes', 'basic-memory'],
    ['mem0', 'people.csv', 'csv'],
  ] as const) {
    it(`refuses ${sample} as ${given}, and names the format ${meant}`, async () => {
      const { exitCode, stdout, stderr } = await runInProcess(['import-from', given, samplePath(sample)]);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.contain(`the input looks like an export of the format ${meant}, not ${given}`)
        .and.to.contain(`import-from ${meant} `);
    });
  }

  it('reads formats that other plugins register', async () => {
    const diary = defineImportFormat('diary', {
      summary: 'lines of a diary',
      obtain: 'Write one.',
      load: async () =>
        async function* read(input, { instant }) {
          for await (const file of input.files()) {
            for await (const { number, text } of file.lines()) {
              const [day = '', said = ''] = (text ?? '').split(/: (.*)/s);
              yield {
                kind: 'entry',
                at: `${file.path}, line ${number}`,
                entity: 'diary:mine',
                relation: `memory:entry:${number}`,
                value: { type: 'text', v: said },
                source: 'user:me',
                timestamp: instant(day),
              };
            }
          }
        },
    });
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'diary.txt');
      await writeFile(path, '2025-01-01: A new year\n2025-01-02: Snow\n');
      const { exitCode, stdout } = await runInProcess(['import-from', 'diary', path, '--dry-run'], {
        loadCommands: async (source) => {
          const loaded = await loadCommands(source);
          return { ...loaded, words: [...loaded.words, diary] };
        },
      });
      expect([exitCode, stdout.split('\n')[1]]).to.deep.equal([0, '  entry: 2']);
      expect(stdout).to.contain('"timestamp":"2025-01-02T00:00:00Z"');
    });
  });

  describe('with a node', () => {
    let served: ServedNode;
    before(async () => {
      served = await startServedNode();
    });
    after(() => served.stop());

    const totalOf = async (): Promise<number> => (await served.ask('GET', '/v1/facts?limit=1')).body.total;

    it('sends no facts in a dry run and creates no file', async () => {
      const state = join(served.folder, 'dry.state');
      await served.run(['import-from', 'claude', samplePath('claude'), '--dry-run', '--state', state]);
      expect(await totalOf()).to.equal(0);
    });

    it('stores all facts, and a second run finds them already stored', async () => {
      const argv = ['import-from', 'claude', samplePath('claude'), '--state', join(served.folder, 'claude.state')];
      const first = await served.run([...argv, '--scope', 'company', '--source-prefix', 'was:']);
      expect(first.exitCode, first.stderr).to.equal(0);
      expect(first.stdout).to.match(/^12 facts accepted, 0 refused/);
      expect(await totalOf()).to.equal(12);

      const second = await served.run([...argv, '--scope', 'company', '--source-prefix', 'was:']);
      expect(second.stdout).to.contain('was imported before');
      const again = await served.run([...argv, '--scope', 'company', '--source-prefix', 'was:', '--from-start']);
      expect([again.exitCode, await totalOf()]).to.deep.equal([0, 12]);
      const { body } = await served.ask('GET', '/v1/facts?entity=claude:project/p-1&scope=company');
      expect(body.facts[0].source).to.match(/^was:claude/);
    });

    it('remembers an import in the data folder of its node, or else in the folder of user settings', async () => {
      const exports = join(served.folder, 'exports');
      await mkdir(exports);
      await copyFile(samplePath('read-graph.json'), join(exports, 'graph.json'));
      const home = join(served.folder, 'home');
      const env = { XDG_CONFIG_HOME: join(home, '.config'), SVC_DB_PATH: join(served.folder, 'here', 'svc.db') };
      const argv = ['import-from', 'mcp-memory', join(exports, 'graph.json')];
      const kept = async (folder: string) => (await readdir(folder)).map((name) => name.replace(/-\w+\./, '.')).sort();
      const names = ['mcp-memory.items.ndjson', 'mcp-memory.state.json'];
      const run = () => served.run(argv, undefined, { variables: env });

      expect((await run()).exitCode).to.equal(0);
      expect(await kept(join(home, '.config/fact-memory-node/imports'))).to.deep.equal(names);
      await mkdir(join(served.folder, 'here'));
      await writeFile(join(served.folder, 'here/address'), served.url, { mode: 0o600 });
      expect((await run()).stdout).to.contain('3 same');
      expect(await kept(join(served.folder, 'here/imports'))).to.deep.equal(names);
      expect((await run()).stdout).to.contain('was imported before');
      expect(await readdir(exports)).to.deep.equal(['graph.json']);
    });

    it('reports refused items by its exit code, also when it is repeated', async () => {
      const argv = ['import-from', 'mcp-memory', samplePath('memory.jsonl'), '--state', join(served.folder, 'm.state')];
      const codes = [(await served.run(argv)).exitCode, (await served.run(argv)).exitCode];
      expect(codes).to.deep.equal([2, 2]);
    });

    it('does not start if it cannot record its progress', async () => {
      const before = await totalOf();
      const state = join(served.folder, 'no/such/folder/state');
      const { exitCode, stderr } = await served.run([
        'import-from',
        'mem0',
        samplePath('mem0-lines.jsonl'),
        '--state',
        state,
      ]);
      expect([exitCode, await totalOf()]).to.deep.equal([1, before]);
      expect(stderr).to.contain('name a file in a folder that you may write to with --state');
    });

    it('stops if its key may not write', async () => {
      const state = join(served.folder, 'w.state');
      const argv = ['import-from', 'mem0', samplePath('mem0-lines.jsonl'), '--state', state];
      const { exitCode, stderr } = await served.run(argv, 'not-a-key-of-this-node');
      expect(exitCode).to.equal(1);
      expect(stderr).to.contain('stopped at').and.to.contain('401');
    });
  });

  describe('for a service of another name', () => {
    let served: ServedNode;
    before(async () => {
      served = await startServedNode({ SVC_SERVICE_NAME: 'acme' });
    });
    after(() => served.stop());

    const inSession = async (prefix: string): Promise<number> =>
      (await served.ask('GET', `/v1/facts?session=claude:k-1&sources=${prefix}*`)).body.total;

    it('stores the sessions of an import, where the environment or the configuration file names the service', async () => {
      const config = join(served.folder, 'node.json');
      await writeFile(config, JSON.stringify({ node: { serviceName: 'acme' } }));
      const env = { SVC_URL: served.url, SVC_API_KEY: served.adminKey };
      for (const [prefix, more, variables] of [
        ['a:', [], { SVC_SERVICE_NAME: 'acme' }],
        ['b:', ['--config', config], {}],
      ] as const) {
        const argv = ['import-from', 'claude', samplePath('claude'), '--source-prefix', prefix, ...more];
        const state = ['--state', join(served.folder, `${prefix}state`)];
        const { exitCode, stderr } = await runInProcess([...argv, ...state], {
          env: { ...env, ...variables },
          openNode,
        });
        expect([exitCode, await inSession(prefix)], stderr).to.deep.equal([0, 3]);
      }
    });

    it('stores the sessions of a file that is sent to the node', async () => {
      const content = (await readFile(join(samplePath('claude'), 'conversations.json'))).toString('base64');
      const body = { name: 'conversations.json', content, source_prefix: 'c:', dry_run: false };
      const reply = await fetch(`${served.url}/v1/imports`, {
        method: 'POST',
        headers: { authorization: `Bearer ${served.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect([reply.status, (await reply.text()).includes('"done"')]).to.deep.equal([200, true]);
      expect(await inSession('c:')).to.equal(3);
    });
  });
});
