import type { Readable, Writable } from 'node:stream';
import type { Clock, ObjectStores, Schema, Transport } from '../../ports/ports.ts';
import type { Requires, Resolved } from '../container/requires.ts';
import type { Random } from '../crypto/random.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
import type { Awaitable } from '../time/awaitable.ts';
import type { Word, WordKind } from '../vocabulary/define-vocabulary.ts';
import type { CommandServer, ServerPlace } from './command-server.ts';
import type { OfflineStore } from './offline-store.ts';

/** Exit codes of the process. */
export const EXIT = {
  ok: 0,
  /** The command failed. */
  failed: 1,
  /** The command finished, but refused some of its input. */
  someRefused: 2,
} as const;

/**
 * The resources that a command needs. `nothing`: no node. `settings`: the checked configuration. `store`: also the
 * store. `node`: a node that is booted on an existing store and does not serve. `server`: a running node, over HTTP.
 */
export type CommandNeeds = 'nothing' | 'settings' | 'store' | 'node' | 'server';

interface Described {
  /** A one-line summary for the help. */
  readonly summary: string;
}

interface WithValue extends Described {
  /** The placeholder of the value in the help, for example `file`. */
  readonly value: string;
  readonly required?: boolean;
}

/** An option by its type. The key in camelCase gives the flag in kebab-case: `keyFile` becomes `--key-file`. */
export type CommandOption =
  | (Described & { readonly type: 'flag' })
  /** A text option. `of` lists the accepted words when there is a fixed set. */
  | (WithValue & { readonly type: 'text'; readonly of?: readonly string[]; readonly default?: string })
  | (WithValue & {
      readonly type: 'integer';
      readonly minimum: number;
      readonly maximum: number;
      /** The unit of the number, for example `seconds`. */
      readonly unit?: string;
      readonly default?: number;
    })
  /** A list option, separated by commas. `of` lists the accepted words. */
  | (WithValue & { readonly type: 'words'; readonly of?: readonly string[]; readonly default?: readonly string[] });

export interface CommandArgument extends Described {
  readonly optional?: boolean;
}

/** The arguments by name, in their order on the command line. */
export type CommandArguments = Readonly<Record<string, CommandArgument>>;
export type CommandOptions = Readonly<Record<string, CommandOption>>;

type OptionValue<O> = O extends { readonly type: 'flag' }
  ? boolean
  : O extends { readonly type: 'text' }
    ? O extends { readonly of: readonly (infer W)[] }
      ? W
      : string
    : O extends { readonly type: 'integer' }
      ? number
      : O extends { readonly of: readonly (infer W)[] }
        ? readonly W[]
        : readonly string[];

export type GivenOptions<O extends CommandOptions> = {
  readonly [K in keyof O]: O[K] extends { type: 'flag' } | { required: true } | { default: unknown }
    ? OptionValue<O[K]>
    : OptionValue<O[K]> | undefined;
};

export type GivenArguments<A extends CommandArguments> = {
  readonly [K in keyof A]: A[K] extends { optional: true } ? string | undefined : string;
};

/** Shows the progress of a long run, and prints lines without disturbing the display. */
export interface Progress {
  /**
   * Sets the progress. `done` is a part of the total; `count` is the number of units when the total has another unit,
   * such as bytes.
   */
  update(done: number, count?: number): void;
  /** Changes the total when the work grows. */
  resize(total: number): void;
  /** Prints a line above the display. */
  say(line: string): void;
  end(): void;
}

/** Emphasised or dimmed text in a table, on a terminal with colours; plain text elsewhere. */
export interface StyledCell {
  readonly text: string;
  readonly style: 'strong' | 'faint' | 'warning';
}

export type Cell = string | StyledCell;

/** The values of `EXPORT_OPTIONS`, which say where and how a command writes an export. */
export interface ExportPlace {
  readonly out: string | undefined;
  readonly plain: boolean;
}

/** Takes the next part. Resolves when more may come. */
export type WriteText = (text: string | Uint8Array) => Promise<void>;

/** A node that is booted for a command. */
export interface CommandNode<R extends Requires> {
  readonly use: Resolved<R>;
  readonly node: NodeSettings;
  /**
   * Runs work that writes an export, to standard output or to a new file that only its user may read. A node with a key
   * of the operator seals the file, unless it is to be plain. Removes the file when the work fails, because a part of
   * an export must not pass for the whole. Rejects where the file exists.
   */
  writeExport<T>(place: ExportPlace, work: (write: WriteText) => Promise<T>): Promise<T>;
}

interface CommonContext<A extends CommandArguments, O extends CommandOptions> {
  readonly arguments: GivenArguments<A>;
  readonly options: GivenOptions<O>;
  readonly stdin: Readable;
  /** The stream for answers to people and scripts. */
  readonly stdout: Writable;
  /** The stream for progress and remarks. */
  readonly stderr: Writable;
  readonly clock: Clock;
  readonly random: Random;
  /** The environment variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The absolute paths of an interpreter and its script, with which another program can start this one from any folder.
   */
  readonly program: readonly string[];
  /**
   * Returns text of this program with the commands in it as the person has to type them, such as by `npx`. Standard
   * error does so by itself.
   */
  asTyped(text: string): string;
  /**
   * Returns a client of a running node, for a command that does not always need a running node, or needs a second one.
   * Sends no request yet. Rejects for a wrong address and a missing key file.
   */
  openServer(place: ServerPlace): Promise<CommandServer>;
  /**
   * Formats rows in columns that fit the terminal. With `titled` the first row names the columns. Control characters
   * are removed from the cells.
   */
  table(rows: readonly (readonly Cell[])[], form?: { readonly titled?: boolean }): string;
  /**
   * Prompts the user at the terminal and returns the line, empty at the end of input. Undefined without a terminal for
   * input and remarks.
   */
  readonly ask: ((prompt: string) => Promise<string>) | undefined;
  /** Shows progress on standard error. `total` is null when unknown; `unit` is a plural noun, `lines` by default. */
  progress(total: number | null, unit?: string): Progress;
  /** Returns the words of a vocabulary that the configured plugins declare, in the order of the plugins. */
  words<W extends Word>(kind: WordKind<W>): readonly W[];
  /**
   * Returns the content of a file that may be an export. Opens a sealed one with the key of the configured node, and
   * passes any other on as it is. Rejects where no key opens it, and with `validation` for a damaged one.
   */
  openExport(content: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
  /** Boots a node on an existing store for a part of the work, without serving, and stops it afterwards. */
  withNode<R extends Requires, T>(requires: R, work: (node: CommandNode<R>) => Promise<T>): Promise<T>;
}

interface SettingsContext<C> {
  /** The settings of the plugin itself. */
  readonly config: C;
  readonly node: NodeSettings;
  readonly objects: ObjectStores;
  /** Rejects with `lookup` when there is no store. */
  requireStore(): Promise<void>;
}

interface StoreContext<C> extends SettingsContext<C> {
  readonly store: OfflineStore;
  /**
   * Runs work with an empty throw-away store of the same configuration. Its files lie in the given folder, which the
   * caller removes. Rejects with `unavailable` where no such store can be made.
   */
  spare<T>(folder: string, work: (spare: SpareNode) => Promise<T>): Promise<T>;
}

/** A throw-away store, and nodes on it that do not serve. */
export interface SpareNode {
  readonly store: OfflineStore;
  withNode<R extends Requires, T>(requires: R, work: (node: CommandNode<R>) => Promise<T>): Promise<T>;
}

interface ServerContext {
  readonly server: CommandServer;
  /** Returns the HTTP transport for other servers than the node. It serves on loopback only, at a free port. */
  openTransport(): Promise<Transport>;
}

export type CommandContext<
  A extends CommandArguments,
  O extends CommandOptions,
  N extends CommandNeeds,
  R extends Requires,
  C,
> = CommonContext<A, O> &
  (N extends 'settings' ? SettingsContext<C> : unknown) &
  (N extends 'store' ? StoreContext<C> : unknown) &
  (N extends 'node' ? CommandNode<R> : unknown) &
  (N extends 'server' ? ServerContext : unknown);

/**
 * The part of the help that lists a command: `daily` use, the whole `memory`, `agents` and their rights, the `node`.
 */
export type CommandTopic = 'daily' | 'memory' | 'agents' | 'node';

interface CommandText {
  /** The name of the command, in lower case; dashes are allowed. */
  readonly name: string;
  /** Without a topic, the help lists the command among the other ones. */
  readonly topic?: CommandTopic;
  readonly summary: string;
  readonly description?: string;
  /** Notes that the help shows below the options. */
  readonly notes?: string;
  /** Example command lines for a shell. */
  readonly examples?: readonly string[];
}

/**
 * A command that a plugin adds to the command line. All but `run` is data, so that help needs neither store nor boot.
 */
export interface Command<
  A extends CommandArguments = CommandArguments,
  O extends CommandOptions = CommandOptions,
  N extends CommandNeeds = CommandNeeds,
  R extends Requires = Requires,
  C = unknown,
> extends CommandText {
  readonly needs: N;
  readonly arguments?: A;
  readonly options?: O;
  /** Refs that the command uses, if it needs a node. */
  readonly requires?: R;
  /** The schema of the plugin's settings. It gives `config` its type if the command needs settings. */
  readonly settings?: Schema<C>;
  /**
   * Runs the command and returns an exit code, `EXIT.ok` by default. The user sees a `ServiceError` with its hint; any
   * other error is a bug.
   */
  run(context: CommandContext<A, O, N, R, C>): Awaitable<number | void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the command line holds commands of any form
export type AnyCommand = Command<any, any, any, any, any>;

/** A group of commands under one word, such as `key add` and `key list`. */
export interface CommandGroup extends CommandText {
  /** The command that runs when the user names none of the group. */
  readonly usual?: string;
  readonly commands: readonly AnyCommand[];
}

export type PluginCommand = AnyCommand | CommandGroup;

/** Declares a command. Gives `run` the types of its own arguments, options and refs. */
export const defineCommand = <
  const N extends CommandNeeds,
  const A extends CommandArguments = Record<never, never>,
  const O extends CommandOptions = Record<never, never>,
  const R extends Requires = Record<never, never>,
  C = undefined,
>(
  command: Command<A, O, N, R, C>,
): Command<A, O, N, R, C> => Object.freeze(command);

export const isGroup = (command: PluginCommand): command is CommandGroup => 'commands' in command;

/** A command with its full name, such as `key add`. */
export interface NamedCommand {
  readonly name: string;
  readonly command: AnyCommand;
}

/** Returns the single commands, including those of groups. */
export const singleCommands = (commands: readonly PluginCommand[]): readonly NamedCommand[] =>
  commands.flatMap((one) =>
    isGroup(one)
      ? one.commands.map((command) => ({ name: `${one.name} ${command.name}`, command }))
      : [{ name: one.name, command: one }],
  );
