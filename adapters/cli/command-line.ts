import type { Command } from 'commander';
import type { CommandLineDeps, StartProblem } from './command-line-deps.ts';
import { addCompletionCommand, COMPLETION } from './completion/completion-command.ts';
import { runProgram, VERSION_FLAGS } from './create-program.ts';
import { addEncryptionCommands } from './encryption-commands.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { addPluginsCommands } from './plugins-commands.ts';
import { addRestoredCommand } from './restored-command.ts';
import { addInitCommand, addStartCommand } from './start-command.ts';

/**
 * Runs one command to its end and returns the exit code. `given` holds the arguments without the program's name. It
 * prints errors on standard error and never throws.
 */
export const runCommandLine = (given: readonly string[], deps: CommandLineDeps): Promise<number> =>
  runProgram(
    deps,
    async (program, done) => {
      addStartCommand(program, deps, done);
      addInitCommand(program, deps, done);
      addRestoredCommand(program, deps, done);
      addEncryptionCommands(program, deps, done);
      addPluginsCommands(program, deps, done);
      addCompletionCommand(program, deps, done);
      const words = helpAtEnd(given);
      const argv = startsNode(words) ? ['start', ...words] : words;
      const { configFile, rest } = takeConfigFile(argv);
      const word = rest.find((part) => !part.startsWith('-'));
      const isOwn = program.commands.some((command) => command.name() === word) || asksVersion(rest);
      // A node that starts loads the enabled plugins only.
      if (!isOwn || word === COMPLETION) await addOtherCommands(program, { configFile, word }, deps, done);
      // Leaves out `--config` when there is no command: the program's own help accepts it only because plugins add
      // commands.
      await program.parseAsync(word === undefined ? rest : argv, { from: 'user' });
    },
    (found) => (found instanceof MissingCommands ? found.problems : deps.problemsOf(found)),
  );

/** Writes `help key add` as `key add --help`, because Commander reads one word after `help`. */
const helpAtEnd = (given: readonly string[]): readonly string[] => {
  const [first, ...words] = given;
  return first === 'help' && words.length > 0 ? [...words, '--help'] : given;
};

/**
 * Returns whether the arguments start a node. They do without a command, so that newcomers need to type only the
 * program's name.
 */
const startsNode = (given: readonly string[]): boolean => {
  const [first] = takeConfigFile(given).rest;
  return first === undefined || (first.startsWith('-') && !ABOUT_PROGRAM.has(first));
};

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
  if (!isKnown && configFile === undefined) program.showHelpAfterError(MAY_NEED_CONFIG);
};

const MAY_NEED_CONFIG =
  'hint: add --help for all commands; add --config FILE for a command of a plugin that your configuration file names';

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
