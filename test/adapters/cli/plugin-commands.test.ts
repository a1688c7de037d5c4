import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openNode } from '../../../config/open-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { type CommandResult, runInProcess } from './run-in-process.ts';

/** The source of a third-party plugin whose command prints the arguments that it received. */
const ACME = `
const tell = (name, more) => ({ name, summary: name, run: ({ stdout }) => void stdout.write(name + '\\n'), ...more });
export const acme = {
  name: 'acme', version: '1.0.0', kernelApi: 1, summary: 'Orders', setup() {},
  config: { json: { type: 'object', properties: { limit: { type: 'integer', default: 7, env: 'ACME_LIMIT' } } } },
  commands: [
    {
      name: 'order', summary: 'orders something', notes: 'A note.', examples: ['fact-memory-node order tea --cups 2'],
      needs: 'nothing',
      arguments: { what: { summary: 'what to order' }, where: { summary: 'where to', optional: true } },
      options: {
        cups: { type: 'integer', value: 'number', minimum: 1, maximum: 9, default: 1, summary: 'how many' },
        withMilk: { type: 'flag', summary: 'with milk' },
        extras: { type: 'words', value: 'list', of: ['sugar', 'lemon'], summary: 'what else' },
        name: { type: 'text', value: 'text', required: true, summary: 'for whom' },
      },
      run({ arguments: given, options, stdout, table }) {
        stdout.write(table([[JSON.stringify(given), JSON.stringify(options)]]));
        return given.what === 'coffee' ? 2 : undefined;
      },
    },
    { name: 'acme', summary: 'about acme', commands: [
      tell('limit', { needs: 'settings', run: ({ config, node, stdout }) =>
        void stdout.write(config.limit + ' ' + node.authRequired + '\\n') }),
      tell('facts', { needs: 'node', requires: { facts: { id: 'kernel.facts' }, none: { optional: { id: 'no.such' } } },
        run: ({ use, node, stdout }) => void stdout.write(typeof use.facts.append + ' ' + use.none + ' ' + node.workers + '\\n') }),
      tell('missing', { needs: 'node', requires: { registry: { id: 'keys.registry' } } }),
    ] },
  ],
};`;

describe('a command that a plugin adds to the command line', () => {
  const inFolder = (
    work: (run: (...argv: string[]) => Promise<CommandResult>, folder: string) => Promise<unknown>,
    plugins: Readonly<Record<string, unknown>> = {},
  ): Promise<unknown> =>
    inTemporaryFolder(async (folder) => {
      writeFileSync(join(folder, 'acme.mjs'), ACME);
      const config = join(folder, 'node.json');
      const adapters = { store: { use: 'sqlite', path: join(folder, 'node.db') } };
      writeFileSync(
        config,
        JSON.stringify({
          adapters,
          plugins: { acme: { from: './acme.mjs' }, ...plugins },
          node: { logLevel: 'silent', authRequired: false },
        }),
      );
      const env = { ACME_LIMIT: '3' };
      return work((...argv) => runInProcess([...argv, '--config', config], { env, openNode }), folder);
    });

  it('appears in the help like any other command', async () => {
    await inFolder(async (run) => {
      const { exitCode, stdout } = await run('acme', 'limit', '--help');
      expect(exitCode).to.equal(0);
      expect(stdout).to.contain('Usage: fact-memory-node acme limit');
      const help = (await run('order', '--help')).stdout;
      expect(help).to.contain('--cups <number>').and.to.contain('--with-milk').and.to.contain('(default: 1)');
      expect(help).to.match(/A note\.\n\nExample:\n {2}fact-memory-node order tea --cups 2/);
    });
  });

  it('is unknown without the configuration file that names the plugin, and a hint says so', async () => {
    const { exitCode, stderr } = await runInProcess(['order', 'tea'], { openNode });
    expect(exitCode).to.equal(1);
    expect(stderr)
      .to.contain("unknown command 'order'")
      .and.to.match(/^hint: .*--config FILE/m);
  });

  it('is suggested, like every command and option, when it is typed in capitals', () =>
    inFolder(async (run) => {
      for (const [argv, meant] of [
        [['ORDER', 'tea'], 'order'],
        [['acme', 'LIMIT'], 'limit'],
        [['START'], 'start'],
        [['start', '--PORT', '1'], '--port'],
        [['start', '--PORT=1'], '--port'],
      ] as const) {
        const { exitCode, stderr } = await run(...argv);
        expect(exitCode).to.equal(1);
        expect(stderr).to.contain(`hint: did you mean ${meant}?`);
      }
    }));

  it('is not suggested where that command or option belongs to another command', () =>
    inFolder(async (run) => {
      for (const argv of [['LIMIT'], ['acme', 'ORDER'], ['order', 'tea', '--name', 'Ann', '--PORT', '1']]) {
        const { exitCode, stderr } = await run(...argv);
        expect(exitCode).to.equal(1);
        expect(stderr)
          .to.match(/unknown (command|option)/)
          .and.not.to.match(/did you mean/i);
      }
    }));

  it('runs with its arguments, and reports its result by the exit code', () =>
    inFolder(async (run) => {
      const words = ['--name', 'Ann', '--extras', 'lemon,sugar', '--with-milk', '--cups', '2'];
      const tea = await run('order', 'tea', ...words);
      expect(tea.exitCode, tea.stderr).to.equal(0);
      expect(tea.stdout).to.contain('{"what":"tea"}');
      expect(tea.stdout).to.contain('"cups":2').and.to.contain('"withMilk":true').and.to.contain('"name":"Ann"');
      expect(tea.stdout).to.contain('"extras":["sugar","lemon"]');
      const coffee = await run('order', 'coffee', 'here', '--name', 'Ann');
      expect(coffee.exitCode).to.equal(2);
      expect(coffee.stdout).to.contain('{"what":"coffee","where":"here"}');
      expect(coffee.stdout).to.contain('"cups":1').and.to.contain('"withMilk":false');
    }));

  for (const [words, complaint] of [
    [['order', 'tea'], "required option '--name <text>'"],
    [['order', '--name', 'Ann'], "missing required argument 'what'"],
    [['order', 'tea', '--name', 'Ann', '--cups', '10'], 'a whole number from 1 to 9'],
    [['order', 'tea', '--name', 'Ann', '--cups', '1.5'], 'a whole number from 1 to 9'],
    [['order', 'tea', '--name', 'Ann', '--extras', 'salt'], 'separated by commas, of: sugar, lemon'],
    [['ordr'], 'did you mean order?'],
    [['acme', 'missing'], 'there is no store at'],
  ] as const) {
    it(`refuses "${words.join(' ')}" with the reason`, () =>
      inFolder(async (run) => {
        const { exitCode, stdout, stderr } = await run(...words);
        expect([exitCode, stdout]).to.deep.equal([1, '']);
        expect(stderr).to.contain(complaint);
      }));
  }

  it('gets the settings of its plugin and of the node, without opening a store', () =>
    inFolder(async (run) => {
      expect(await run('acme', 'limit')).to.deep.equal({ exitCode: 0, stdout: '3 false\n', stderr: '' });
    }));

  it('gets the services of a booted node, and an error that names a missing service', () =>
    inFolder(
      async (run, folder) => {
        const configFile = join(folder, 'node.json');
        const node = await openNode({ configFile, env: {}, serve: false, createsStore: true });
        await node.start();
        await node.stop();
        expect(await run('acme', 'facts')).to.deep.equal({ exitCode: 0, stdout: 'function undefined 1\n', stderr: '' });
        const missing = await run('acme', 'missing');
        expect(missing.exitCode).to.equal(1);
        expect(missing.stderr).to.equal(
          "error: the command needs keys.registry, which no plugin provides\nhint: enable 'keys'\n",
        );
      },
      { keys: false, oauth: false, oidc: false, subscriptions: false },
    ));

  it('is left out with a warning when its plugin cannot be loaded', () =>
    inFolder(
      async (run) => {
        const unknown = await run('brew');
        expect(unknown.exitCode).to.equal(1);
        expect(unknown.stderr).to.contain('error: the node cannot start: plugins.brew.from: there is no module');
        // All other commands still work.
        const help = (await run('--help')).stdout;
        expect(help).to.contain('order').and.to.contain('import');
        expect(help.match(/^[A-Z][a-z ]+:$/gm)).to.deep.equal([
          'Options:',
          'Every day:',
          'The whole memory:',
          'Agents and their rights:',
          'The node:',
          'Other commands:',
          'Examples:',
        ]);
      },
      { brew: { from: './brew.mjs' } },
    ));
});
