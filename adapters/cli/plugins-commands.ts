import type { Command } from 'commander';
import { countNoun, EXIT, jsonLine } from '../../kernel/command-api.ts';
import type { DescribedNode } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { CommandLineDeps } from './command-line-deps.ts';
import { describePlugin, listPlugins } from './describe-node.ts';
import { hintLine, problemList } from './report-error.ts';
import { widthOf } from './text-table.ts';

interface PluginsOptions {
  readonly config?: string;
}

interface ListOptions extends PluginsOptions {
  readonly json: boolean;
}

export const addPluginsCommands = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  const plugins = program
    .command('plugins')
    .summary('show what the node is made of, and why it does not start')
    .description('Shows the plugins of a configuration. Nothing is started and no store is changed.')
    .addHelpText(
      'after',
      `
A plugin is switched off in the configuration file: { "plugins": { "billing": false } }

Examples:
  fact-memory-node plugins list
  fact-memory-node plugins describe facts
  fact-memory-node plugins doctor --config node.json`,
    );

  plugins
    .command('list')
    .summary('all plugins, on and off')
    .option('--json', 'one JSON object per line', false)
    .option('--config <file>', 'configuration file')
    .action(async (options: ListOptions) => {
      const node = await describe(options, deps);
      deps.stdout.write(options.json ? pluginLines(node) : listPlugins(node, widthOf(deps.stdout)));
      done(EXIT.ok);
    });

  plugins
    .command('describe')
    .summary('settings, variables, routes, hooks and tables of one plugin')
    .argument('<name>', 'name of the plugin')
    .option('--config <file>', 'configuration file')
    .action(async (name: string, options: PluginsOptions) => {
      const node = await describe(options, deps, name);
      const found = node.plugins.find((plugin) => plugin.name === name);
      if (found === undefined) {
        throw new ServiceError('lookup', 'there is no plugin of this name', {
          hint: '"fact-memory-node plugins list" shows all names',
        });
      }
      deps.stdout.write(describePlugin(found, node, widthOf(deps.stdout)));
      done(EXIT.ok);
    });

  plugins
    .command('doctor')
    .summary('every reason why the node would not start')
    .description(
      'Looks at the settings and the plugins, opens the store and checks that it is whole and of this node, and tries the folders ' +
        'and the address. Nothing is changed. Each reason comes with what to do about it. Of an SQLite ' +
        'store it checks the pages (quick_check): "verify" also compares the tables with their indexes, on either engine.',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 the node would start, perhaps with warnings; 1 it would not.\n\nExample:\n  fact-memory-node plugins doctor',
    )
    .option('--config <file>', 'configuration file')
    .action(async (options: PluginsOptions) => done(await diagnose(options, deps)));
};

const describe = async (options: PluginsOptions, deps: CommandLineDeps, including?: string): Promise<DescribedNode> => {
  const node = await deps.openNode({ configFile: options.config, env: deps.env, serve: false, createsStore: false });
  return node.describe(including);
};

const pluginLines = ({ plugins }: DescribedNode): string =>
  plugins.map(({ name, enabled, version, summary }) => jsonLine({ name, enabled, version, summary })).join('');

const diagnose = async (options: PluginsOptions, deps: CommandLineDeps): Promise<number> => {
  const { problems, warnings, pluginCount, store, hasStore, sealedWith } = await deps.inspectNode({
    configFile: options.config,
    env: deps.env,
  });
  deps.stdout.write(problemList(problems));
  for (const { message, hint } of warnings) deps.stdout.write(`warning: ${message}\n${hintLine(hint)}`);
  if (problems.length > 0) return EXIT.failed;
  deps.stderr.write(`Store: ${store}${hasStore ? '' : ', which the first start will make'}\n`);
  if (hasStore) deps.stderr.write(`Contents: ${sealedWith === null ? 'clear' : `sealed with the key ${sealedWith}`}\n`);
  deps.stdout.write(`No problem found; ${countNoun(pluginCount, 'plugin')} on.\n`);
  return EXIT.ok;
};
