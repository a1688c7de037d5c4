import type { Command } from 'commander';
import { EXIT } from '../../kernel/command-api.ts';
import type { CommandLineDeps } from './command-line-deps.ts';

export const addRestoredCommand = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  program
    .command('restored')
    .summary('mark the store as restored from a backup')
    .description(
      'Run it once after you have put a backup in the place of the store, before the node starts again. What was written after the ' +
        'backup is gone, but other nodes may have seen it. So the command begins a new epoch, which makes them read this node from the ' +
        'beginning, and steps the clock forward, so that no stamp is given twice. Facts are not touched.',
    )
    .option('--config <file>', 'configuration file that names the store')
    .addHelpText(
      'after',
      `
Stop every process on the store first: it is refused beside one. Running it
again does no harm.
A failover or a recovery of PostgreSQL begins an epoch by itself; run the command
all the same, for the clock.

Example:
  cp backup/svc.db backup/node.key data/
  fact-memory-node restored && fact-memory-node start`,
    )
    .action(async (options: { readonly config?: string }) => {
      const node = await deps.openNode({
        configFile: options.config,
        env: deps.env,
        serve: false,
        createsStore: false,
      });
      const { fromMs, toMs } = await node.markRestored();
      deps.stdout.write(
        `Store      ${node.settings.storeLocation}\nEpoch      a new one\nClock      from ${instant(fromMs)} to ${instant(toMs)}\n`,
      );
      done(EXIT.ok);
    });
};

const instant = (ms: number): string => new Date(ms).toISOString();
