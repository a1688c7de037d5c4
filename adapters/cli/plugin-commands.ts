import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { type CommandOption, EXIT, type PluginCommand, type ServerPlace } from '../../kernel/command-api.ts';
import { type AnyCommand, isGroup, type SpareNode } from '../../kernel/internal-api.ts';
import { ServiceError, type Word, type WordKind } from '../../kernel/plugin-api.ts';
import { acceptWords } from './accepted-words.ts';
import type { CommandLineDeps, NodeHandle, OwnedCommand, PluginCommands } from './command-line-deps.ts';
import { type CommandPlace, connectServer, SERVER_OPTIONS } from './command-server.ts';
import { openExport, writeExport } from './export-files.ts';
import { headingOf } from './help-topics.ts';
import { createProgress } from './progress.ts';
import { terminalOf } from './terminal.ts';

/**
 * Adds the commands of plugins to the command line. The help shows all of them. A command of a disabled plugin fails
 * with that reason.
 */
export const addPluginCommands = (
  program: Command,
  { commands, words }: Pick<PluginCommands, 'commands' | 'words'>,
  deps: CommandLineDeps,
  done: (exitCode: number) => void,
): void => {
  for (const { command, ...ownerOf } of commands) {
    const owner = { ...ownerOf, words };
    // Skips a command with a used name, which the doctor and the start report as a problem. Plugins may share a group.
    const known = program.commands.find((one) => one.name() === command.name);
    const isShared = known !== undefined && isGroup(command) && known.summary() === command.summary;
    if (known !== undefined && !isShared) continue;
    if (!isGroup(command)) addCommand(program, command, owner, deps, done).helpGroup(headingOf(command.topic));
    else {
      const group = known ?? describe(program.command(command.name), command).helpGroup(headingOf(command.topic));
      for (const single of command.commands) {
        const lister = command.commands.find(({ name }) => name === 'list') && `fact-memory-node ${command.name} list`;
        addCommand(group, single, { ...owner, isUsual: single.name === command.usual, lister }, deps, done);
      }
    }
  }
};

type Owner = Omit<OwnedCommand, 'command'> & {
  readonly words: readonly Word[];
  readonly isUsual?: boolean;
  /** The command that lists what the others of the group take by name. */
  readonly lister?: string | undefined;
};
// biome-ignore lint/suspicious/noExplicitAny: values of options of any command
type Given = Readonly<Record<string, any>>;

const describe = (command: Command, { summary, description, notes, examples }: PluginCommand): Command => {
  command.summary(summary).description(description ?? asSentence(summary));
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  if (examples === undefined) return command;
  const title = examples.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${title}:\n${examples.map((line) => `  ${line}`).join('\n')}`);
};

const asSentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

const addCommand = (
  parent: Command,
  definition: AnyCommand,
  owner: Owner,
  deps: CommandLineDeps,
  done: (exitCode: number) => void,
): Command => {
  const command = describe(parent.command(definition.name, { isDefault: owner.isUsual === true }), definition);
  const names = Object.keys(definition.arguments ?? {});
  for (const name of names) {
    const { summary, optional } = definition.arguments[name];
    command.addArgument(new Argument(optional === true ? `[${name}]` : `<${name}>`, summary));
  }
  for (const [name, option] of Object.entries<CommandOption>(definition.options ?? {})) {
    command.addOption(commanderOption(name, option));
  }
  for (const [flags, summary] of definition.needs === 'server' ? SERVER_OPTIONS : []) command.option(flags, summary);
  if (!command.options.some(({ long }) => long === '--config')) {
    const use = definition.needs === 'nothing' || definition.needs === 'server' ? '' : ' that names the store';
    command.option('--config <file>', `configuration file${use}`);
  }
  return command.action(async (...all: unknown[]) => {
    const given = all[names.length] as Given;
    const named = Object.fromEntries(names.map((name, place) => [name, all[place]]));
    const work = run(definition, owner, { named, given: withNegated(definition, given) }, deps);
    done(
      await work.catch((error: unknown) => Promise.reject(names.length > 0 ? withList(error, owner.lister) : error)),
    );
  });
};

/** If an error says that the given name does not exist, adds the command that lists the names. */
const withList = (error: unknown, lister: string | undefined): unknown => {
  const isBare = error instanceof ServiceError && error.code === 'lookup' && error.hint === undefined;
  if (!isBare || lister === undefined) return error;
  return new ServiceError('lookup', error.message, { cause: error, hint: `"${lister}" shows those there are` });
};

/**
 * Translates options such as `--no-hooks`: the command receives `noHooks`, while commander stores a negated `hooks`.
 */
const withNegated = ({ options }: AnyCommand, given: Given): Given => {
  const names = Object.keys(options ?? {}).filter((name) => /^no[A-Z]/.test(name));
  const positive = (name: string): string => `${name.charAt(2).toLowerCase()}${name.slice(3)}`;
  return { ...given, ...Object.fromEntries(names.map((name) => [name, given[positive(name)] === false])) };
};

const commanderOption = (name: string, option: CommandOption): Option => {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (option.type === 'flag') {
    const made = new Option(flag, option.summary);
    return made.negate ? made : made.default(false);
  }
  const result = new Option(`${flag} <${option.value}>`, option.summary).makeOptionMandatory(option.required === true);
  const accepted = 'of' in option ? option.of : undefined;
  if (accepted !== undefined) acceptWords(result, { words: accepted, isList: option.type === 'words' });
  if (option.type === 'text' && accepted !== undefined) result.argParser((text) => readWord(text, accepted));
  if (option.type === 'integer') result.argParser((text) => readInteger(text, option));
  if (option.type === 'words') result.argParser((text) => readWords(text, option.of));
  if (option.default === undefined) return result;
  const isAll = option.type === 'words' && option.default.length === option.of?.length;
  return result.default(option.default, isAll ? 'all' : String(option.default));
};

const readWord = (text: string, known: readonly string[]): string => {
  if (known.includes(text)) return text;
  throw new InvalidArgumentError(`It must be one of: ${known.join(', ')}.`);
};

type IntegerOption = Extract<CommandOption, { readonly type: 'integer' }>;

const readInteger = (text: string, { minimum, maximum, unit }: IntegerOption): number => {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  const range = unit === undefined ? `from ${minimum} to ${maximum}` : `of ${unit}`;
  throw new InvalidArgumentError(`It must be a whole number ${range}.`);
};

const readWords = (text: string, known: readonly string[] | undefined): readonly string[] => {
  const words = text.split(',').map((word) => word.trim());
  if (known === undefined) return words;
  if (words.every((word) => known.includes(word))) return known.filter((word) => words.includes(word));
  throw new InvalidArgumentError(`It must be a list, separated by commas, of: ${known.join(', ')}.`);
};

interface GivenWords {
  readonly named: Given;
  readonly given: Given;
}

const run = async (
  command: AnyCommand,
  { plugin, enabled, words }: Owner,
  { named, given }: GivenWords,
  deps: CommandLineDeps,
): Promise<number> => {
  if (!enabled) throw pluginIsOff(plugin);
  const { stdin, stdout, stderr, clock, random } = deps;
  const configFile = given['config'] as string | undefined;
  const open = () => deps.openNode({ configFile, env: deps.env, serve: false, createsStore: false });
  const withNode = bootedBy(open, deps);
  const common = {
    arguments: named,
    options: given,
    stdin,
    stdout,
    stderr,
    clock,
    random,
    ...terminalOf(deps),
    env: deps.env,
    program: deps.program,
    asTyped: deps.asTyped,
    openServer: (place: ServerPlace) => connectServer(place, { env: deps.env }, random),
    progress: (total: number | null, unit?: string) => createProgress(stderr, total, unit),
    words: <W extends Word>({ vocabulary }: WordKind<W>) =>
      words.filter((word) => word.vocabulary === vocabulary && word.isReserved !== true) as unknown as readonly W[],
    withNode,
    openExport: (content: AsyncIterable<Buffer>) => openExport(content, async () => (await open()).fileSeal),
  };
  const work = async (more: object): Promise<number> => (await command.run({ ...common, ...more })) ?? EXIT.ok;
  const serverPlace = async (): Promise<CommandPlace> => {
    const { dataFolder, serviceName } = configFile === undefined ? {} : (await open()).settings;
    return { env: deps.env, dataFolder, serviceName, tell: (remark) => void stderr.write(`note: ${remark}\n`) };
  };
  switch (command.needs) {
    case 'node':
      return withNode(command.requires ?? {}, work);
    case 'settings':
    case 'store': {
      const node = await open();
      const { settings, requireStore, offlineStore, objects } = node;
      const config = node.configOf(plugin);
      const spare = <T>(folder: string, use: (spare: SpareNode) => Promise<T>): Promise<T> =>
        node.withSpare(folder, async (openSpare) =>
          use({ store: (await openSpare()).offlineStore, withNode: bootedBy(openSpare, deps) }),
        );
      return work({ node: settings, config, requireStore, store: offlineStore, spare, objects });
    }
    case 'server':
      return work({
        server: await connectServer(given as ServerPlace, await serverPlace(), random),
        openTransport: deps.openTransport,
      });
    default:
      return work({});
  }
};

/** Returns a function that boots a node for a part of the work, and stops it afterwards. */
const bootedBy =
  (open: () => Promise<NodeHandle>, streams: CommandLineDeps): SpareNode['withNode'] =>
  async (requires, work) => {
    const node = await open();
    try {
      await node.start();
      return await work({
        use: node.use(requires),
        node: node.settings,
        writeExport: (place, write) => writeExport(place, write, node.fileSeal, streams),
      });
    } finally {
      await node.stop();
    }
  };

const pluginIsOff = (name: string): ServiceError =>
  new ServiceError('unavailable', `the plugin "${name}" is off`, {
    hint: `switch it on in the configuration file: { "plugins": { "${name}": true } }`,
  });
