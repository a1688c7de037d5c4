import type { Readable, Writable } from 'node:stream';
import type { Clock, Schema, Transport } from '../../ports/ports.ts';
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
  /** The command finished, and some of its input was refused. */
  someRefused: 2,
} as const;

/**
 * `nothing`: no node. `settings`: the checked configuration; nothing is opened. `store`: also the store, without a
 * node.
 * `node`: a node that is booted on an existing store and does not serve. `server`: a running node, over HTTP.
 */
export type CommandNeeds = 'nothing' | 'settings' | 'store' | 'node' | 'server';

interface Described {
  /** One line for the help. */
  readonly summary: string;
}

interface WithValue extends Described {
  /** Stands for the value in the help, for example `file`. */
  readonly value: string;
  readonly required?: boolean;
}

/** An option by its type; the key of an option in camelCase is its flag in kebab-case: `keyFile` is `--key-file`. */
export type CommandOption =
  | (Described & { readonly type: 'flag' })
  /** `of` lists the accepted words, where not every text is accepted. */
  | (WithValue & { readonly type: 'text'; readonly of?: readonly string[]; readonly default?: string })
  | (WithValue & {
      readonly type: 'integer';
      readonly minimum: number;
      readonly maximum: number;
      /** The unit of the number, for example `seconds`. */
      readonly unit?: string;
      readonly default?: number;
    })
  /** Separated by commas; `of` lists the accepted words. */
  | (WithValue & { readonly type: 'words'; readonly of?: readonly string[]; readonly default?: readonly string[] });

export interface CommandArgument extends Described {
  readonly optional?: boolean;
}

/** By name, in the order in which they are given. */
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

/** Shows how far a long run is, and lets lines through without tearing the display. */
export interface Progress {
  /**
   * `done` is a part of the total. `count` is the number of units done, where the total is in another unit, such as
   * bytes.
   */
  update(done: number, count?: number): void;
  /** Replaces the total, when more work has come. */
  resize(total: number): void;
  /** Prints a line above the display. */
  say(line: string): void;
  end(): void;
}

/** Text in a table that stands out or steps back, where the terminal has colours; elsewhere it is plain. */
export interface StyledCell {
  readonly text: string;
  readonly style: 'strong' | 'faint' | 'warning';
}

export type Cell = string | StyledCell;

/** A node that was booted for a command. */
export interface CommandNode<R extends Requires> {
  readonly use: Resolved<R>;
  readonly node: NodeSettings;
}

interface CommonContext<A extends CommandArguments, O extends CommandOptions> {
  readonly arguments: GivenArguments<A>;
  readonly options: GivenOptions<O>;
  readonly stdin: Readable;
  /** Answers for people and scripts. */
  readonly stdout: Writable;
  /** Progress and remarks. */
  readonly stderr: Writable;
  readonly clock: Clock;
  readonly random: Random;
  /** The variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How another program starts this one from any folder: absolute paths of an interpreter and its script. */
  readonly program: readonly string[];
  /**
   * Connects a command to a running node, where it `needs` none or another one. Makes no request yet. Rejects for a
   * wrong address and a missing key file.
   */
  openServer(place: ServerPlace): Promise<CommandServer>;
  /**
   * Formats rows in columns that fit the terminal. With `titled` the first row names the columns. Control characters
   * are removed from the cells.
   */
  table(rows: readonly (readonly Cell[])[], form?: { readonly titled?: boolean }): string;
  /**
   * Asks the user at the terminal and returns the line, empty at the end of input. Undefined when input or remarks do
   * not go to a terminal.
   */
  readonly ask: ((prompt: string) => Promise<string>) | undefined;
  /** Shows progress on standard error; pass null for an unknown size. `unit` is a plural noun, `lines` unless given. */
  progress(total: number | null, unit?: string): Progress;
  /** The words of a vocabulary that the plugins of the configuration declare, in the order of the plugins. */
  words<W extends Word>(kind: WordKind<W>): readonly W[];
  /** Boots a node on an existing store for a part of the work, without serving, and stops it afterwards. */
  withNode<R extends Requires, T>(requires: R, work: (node: CommandNode<R>) => Promise<T>): Promise<T>;
}

interface SettingsContext<C> {
  /** Settings of the plugin itself. */
  readonly config: C;
  readonly node: NodeSettings;
  /** Rejects with `lookup` when there is no store. */
  requireStore(): Promise<void>;
}

interface StoreContext<C> extends SettingsContext<C> {
  readonly store: OfflineStore;
}

interface ServerContext {
  readonly server: CommandServer;
  /** HTTP to others than the node. It serves on loopback alone, at a free port. */
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

interface CommandText {
  /** A word in lower case; dashes are allowed. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** Shown below the options. */
  readonly notes?: string;
  /** Whole lines for a shell. */
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
  /** Refs that the command uses, where it needs a node. */
  readonly requires?: R;
  /** The schema of the plugin's settings, which types `config` where the command needs settings. */
  readonly settings?: Schema<C>;
  /**
   * Runs the command and returns an exit code, `EXIT.ok` by default. The user sees a `ServiceError` with its hint; any
   * other error is a bug.
   */
  run(context: CommandContext<A, O, N, R, C>): Awaitable<number | void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the command line holds commands of any form
export type AnyCommand = Command<any, any, any, any, any>;

/** Commands under one word: `key add`, `key list`. */
export interface CommandGroup extends CommandText {
  /** The command of the group that runs when the user names none. */
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

/** A command with its full name: `key add`. */
export interface NamedCommand {
  readonly name: string;
  readonly command: AnyCommand;
}

/** The single commands, those of groups included. */
export const singleCommands = (commands: readonly PluginCommand[]): readonly NamedCommand[] =>
  commands.flatMap((one) =>
    isGroup(one)
      ? one.commands.map((command) => ({ name: `${one.name} ${command.name}`, command }))
      : [{ name: one.name, command: one }],
  );
