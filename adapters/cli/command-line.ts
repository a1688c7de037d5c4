import { Command, CommanderError } from 'commander';
import { EXIT } from '../../kernel/command-api.ts';
import { maskName, maskSecrets } from '../../ports/ports.ts';
import type { CommandLineDeps, StartProblem } from './command-line-deps.ts';
import { addCompletionCommand, COMPLETION } from './completion/completion-command.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { addPluginsCommands } from './plugins-commands.ts';
import { reportError } from './report-error.ts';
import { addRestoredCommand } from './restored-command.ts';
import { addInitCommand, addStartCommand } from './start-command.ts';

/**
 * Runs one command to its end and returns the exit code. `given` holds the arguments alone. It prints errors on
 * standard error and never throws.
 */
export const runCommandLine = async (given: readonly string[], deps: CommandLineDeps): Promise<number> => {
  let exitCode: number = EXIT.ok;
  const done = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram(deps);
  addStartCommand(program, deps, done);
  addInitCommand(program, deps, done);
  addRestoredCommand(program, deps, done);
  addPluginsCommands(program, deps, done);
  addCompletionCommand(program, deps, done);
  const argv = startsNode(given) ? ['start', ...given] : given;
  const { configFile, rest } = takeConfigFile(argv);
  const word = rest.find((part) => !part.startsWith('-'));
  const isOwn = program.commands.some((command) => command.name() === word) || asksVersion(rest);
  try {
    // A node that starts loads the enabled plugins only.
    if (!isOwn || word === COMPLETION) await addOtherCommands(program, { configFile, word }, deps, done);
    // Leaves out `--config` when there is no command: the program's own help accepts it only because plugins add
    // commands.
    await program.parseAsync(word === undefined ? rest : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    const problemsOf = (found: unknown) => (found instanceof MissingCommands ? found.problems : deps.problemsOf(found));
    reportError(error, problemsOf, deps.stderr);
    return EXIT.failed;
  }
};

/**
 * Returns whether the arguments start a node. They do without a command, so that newcomers need to type only the
 * program's name.
 */
const startsNode = (given: readonly string[]): boolean => {
  const [first] = takeConfigFile(given).rest;
  return first === undefined || (first.startsWith('-') && !ABOUT_PROGRAM.has(first));
};

const VERSION_FLAGS: readonly string[] = ['-V', '--version'];
const ABOUT_PROGRAM: ReadonlySet<string> = new Set(['-h', '--help', ...VERSION_FLAGS]);

const asksVersion = ([first = '']: readonly string[]): boolean => VERSION_FLAGS.includes(first);

/** Adds the commands of plugins, for the help and for a wrong word. A broken configuration prevents neither. */
const addOtherCommands = async (
  program: Command,
  { configFile, word }: { readonly configFile: string | undefined; readonly word: string | undefined },
  deps: CommandLineDeps,
  done: (exitCode: number) => void,
): Promise<void> => {
  const { commands, words, problems } = await deps.loadCommands({ configFile, env: deps.env });
  addPluginCommands(program, { commands, words }, deps, done);
  const isKnown = word === undefined || word === 'help' || program.commands.some((one) => one.name() === word);
  if (!isKnown && problems.length > 0) throw new MissingCommands(problems);
};

/** The error when a command is unknown, and a plugin that cannot be loaded may define it. */
class MissingCommands extends Error {
  readonly problems: readonly StartProblem[];

  constructor(problems: readonly StartProblem[]) {
    super('some plugins cannot be loaded');
    this.problems = problems;
  }
}

const takeConfigFile = (argv: readonly string[]) => {
  const place = argv.findIndex((part) => part === '--config' || part.startsWith('--config='));
  if (place < 0) return { configFile: undefined, rest: [...argv] };
  const taken = argv[place] === '--config' ? 2 : 1;
  const configFile = taken === 2 ? argv[place + 1] : argv[place]?.slice('--config='.length);
  return { configFile, rest: argv.toSpliced(place, taken) };
};

/** Formats commander's hints like all other hints, and masks words of the user that may be a key. */
const readableError = (text: string): string =>
  maskSecrets(text.replace(/(?<=')[^'\s]+(?=')/g, maskName)).replace(
    /^\(Did you mean (.+)\?\)$/m,
    'hint: did you mean $1?',
  );

/** Creates the program with its settings, because subcommands inherit only the settings made before they are added. */
const createProgram = (deps: CommandLineDeps): Command =>
  new Command('fact-memory-node')
    .description(
      'A self-hosted memory of facts for agents and people. Without a command it starts a node. "svc" is a second, ' +
        'shorter name of this program.',
    )
    .version(deps.version, VERSION_FLAGS.join(', '), 'print the version')
    .helpOption('-h, --help', 'print help')
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

Exit codes: 0 the command did its work, 1 it failed, 2 some lines of an import
were refused and the others stored.`,
    );
