import type { CommandLineDeps, OwnedCommand } from './command-line-deps.ts';
import { runProgram } from './create-program.ts';
import { addPluginCommands } from './plugin-commands.ts';

/**
 * Runs a command whose name is the first argument, as `runCommandLine` does with the default plugins. The program knows
 * only these commands, so that it starts quickly.
 */
export const runClientCommand = (
  argv: readonly string[],
  commands: readonly OwnedCommand[],
  deps: CommandLineDeps,
): Promise<number> =>
  runProgram(deps, async (program, done) => {
    addPluginCommands(program, { commands, words: [] }, deps, done);
    await program.parseAsync([...argv], { from: 'user' });
  });
