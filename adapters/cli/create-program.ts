import { type Command, CommanderError } from 'commander';
import { EXIT } from '../../kernel/command-api.ts';
import { maskName, maskSecrets } from '../../ports/ports.ts';
import type { CommandLineDeps } from './command-line-deps.ts';
import { ForgivingCommand } from './forgiving-command.ts';
import { headingOf, TOPIC_HELP } from './help-topics.ts';
import { type FindProblems, reportError } from './report-error.ts';

export const VERSION_FLAGS: readonly string[] = ['-V', '--version'];

type Done = (exitCode: number) => void;

/**
 * Creates the program, lets `work` add the commands and parse, and returns the exit code. It prints errors on standard
 * error and never throws.
 */
export const runProgram = async (
  deps: CommandLineDeps,
  work: (program: Command, done: Done) => Promise<unknown>,
  problemsOf: FindProblems = deps.problemsOf,
): Promise<number> => {
  let exitCode: number = EXIT.ok;
  try {
    await work(createProgram(deps), (code) => {
      exitCode = code;
    });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    reportError(error, problemsOf, deps.stderr);
    return EXIT.failed;
  }
};

/** Formats commander's hints like all other hints, and masks words of the user that may be a key. */
const readableError = (text: string): string =>
  maskSecrets(text.replace(/(?<=')[^'\s]+(?=')/g, maskName)).replace(
    /^\(Did you mean (.+)\?\)$/m,
    'hint: did you mean $1?',
  );

/** Creates the program with its settings, because subcommands inherit only the settings made before they are added. */
const createProgram = (deps: CommandLineDeps): Command =>
  new ForgivingCommand('fact-memory-node')
    .description(
      'A self-hosted memory of facts for agents and people. Without a command it starts a node. "svc" is a second, ' +
        'shorter name of this program.',
    )
    .version(deps.version, VERSION_FLAGS.join(', '), 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp(TOPIC_HELP)
    .commandsGroup(headingOf('node'))
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('hint: add --help for usage and examples')
    .configureOutput({
      writeOut: (text) => deps.stdout.write(text),
      writeErr: (text) => deps.stderr.write(text),
      outputError: (text, write) => write(readableError(text)),
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  fact-memory-node                              run a node on ./data
  fact-memory-node start --port 9000            run it on another port
  fact-memory-node key add --entity agent:me    generate an API key
  fact-memory-node import facts.jsonl           import facts from a file
  fact-memory-node export --out memory.ndjson   export all facts to a file
  fact-memory-node plugins doctor               why does the node not start?

A plugin that a configuration file names brings its commands with --config FILE.

Exit codes: 0 the command did its work, 1 it failed, 2 some lines of an import
were refused and the others stored.`,
    );
