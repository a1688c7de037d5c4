import { Command, CommanderError } from 'commander';
import type { CommandLineDeps } from './command-line-deps.ts';
import { EXIT } from './exit-codes.ts';
import { addExportCommand } from './export-command.ts';
import { addImportCommand } from './import-command.ts';
import { addKeyCommands } from './key-commands.ts';
import { addNodeKeyCommand } from './node-key-command.ts';
import { addPluginsCommands } from './plugins-commands.ts';
import { reportError } from './report-error.ts';
import { addRestoredCommand } from './restored-command.ts';
import { addInitCommand, addStartCommand } from './start-command.ts';
import { addTokenCommands } from './token-commands.ts';

/**
 * Runs one command to its end and answers the exit code. `argv` holds the arguments alone. Errors are told on standard
 * error; nothing is thrown.
 */
export const runCommandLine = async (argv: readonly string[], deps: CommandLineDeps): Promise<number> => {
  let exitCode: number = EXIT.ok;
  const done = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram(deps);
  addStartCommand(program, deps, done);
  addInitCommand(program, deps, done);
  addKeyCommands(program, deps, done);
  addTokenCommands(program, deps, done);
  addNodeKeyCommand(program, deps, done);
  addImportCommand(program, deps, done);
  addExportCommand(program, deps, done);
  addRestoredCommand(program, deps, done);
  addPluginsCommands(program, deps, done);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    reportError(error, deps.problemsOf, deps.stderr);
    return EXIT.failed;
  }
};

/** Subcommands inherit the settings that are made before they are added. */
const createProgram = (deps: CommandLineDeps): Command =>
  new Command('fact-memory-node')
    .description('A self-hosted memory of facts for agents and people.')
    .version(deps.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .showHelpAfterError('hint: add --help for usage and examples')
    .configureOutput({
      writeOut: (text) => deps.stdout.write(text),
      writeErr: (text) => deps.stderr.write(text),
      // Hints look the same wherever they come from.
      outputError: (text, write) => write(text.replace(/^\(Did you mean (.+)\?\)$/m, 'hint: did you mean $1?')),
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  fact-memory-node start                        run a node on ./data
  fact-memory-node key add --entity agent:me    generate an API key
  fact-memory-node import facts.jsonl           import facts from a file
  fact-memory-node export --out memory.ndjson   export all facts to a file
  fact-memory-node plugins doctor               why does the node not start?

Exit codes: 0 the command did its work, 1 it failed, 2 some lines of an import
were refused and the others stored.`,
    );
