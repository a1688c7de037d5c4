import type { Knex } from 'knex';
import type { Migration, Ref, Row, RowPage, SqlValue } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import type { PluginCommand } from '../commands/command-definition.ts';
import type { Requires, Resolved } from '../container/requires.ts';
import type { HookCaller, On } from '../hooks/define-hook.ts';
import type { Route } from '../http/route-definition.ts';
import type { NodeNotes } from '../identity/node-notes.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
import type { WithdrawalJournal } from '../identity/withdrawal-journal.ts';
import type { Logger } from '../log/logger.ts';
import type { ContentColumns } from '../store/content-border.ts';
import type { PluginSnapshot, PluginTransaction } from '../store/plugin-transaction.ts';
import type { SealedColumns } from '../store/sealed-json.ts';
import type { Awaitable } from '../time/awaitable.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';

/** The version of the plugin interface. It is an integer, because nobody tests all versions of a range. */
export const KERNEL_API = 1;

/** Hides texts of columns that are looked up by equality. A table without the plugin's prefix is refused. */
export interface HiddenTexts {
  /**
   * Returns the stored form of a text. On a sealed node it tells nothing, and is equal for equal texts of one tenant,
   * table and column. Without a seal it is the text itself. For what a statement looks up in a column of `hidden`.
   */
  hide(tenantId: string, table: string, column: string, text: string): string;
  /** Returns the text that was given to `hide`. A text from before the node was sealed is returned as it is. */
  show(tenantId: string, table: string, column: string, hidden: string): string;
}

/** The tables of a plugin, by their full name. A name without the plugin's prefix is refused. */
export interface PluginTables extends HiddenTexts {
  /**
   * Returns a query builder outside any transaction; each query commits by itself. Throws inside a write, where it
   * would wait for itself: use `in`.
   */
  (table: string): Knex.QueryBuilder;
  /** Returns the same tables within a transaction or snapshot. */
  in(transaction: PluginTransaction): WritableTables;
  in(snapshot: PluginSnapshot): ReadableTables;
  /** Runs `work` in a separate write transaction, for state without facts. */
  write<T>(tenantId: string, work: (tables: WritableTables, transaction: PluginTransaction) => Promise<T>): Promise<T>;
  /**
   * As `write`, for work of the node itself, such as a periodic task. Returns undefined for a tenant that is erased or
   * being erased: the store takes nothing for it, and other tenants and the start of the node must not depend on it.
   */
  writeUnlessErased<T>(
    tenantId: string,
    work: (tables: WritableTables, transaction: PluginTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /** Runs `work` on one snapshot. */
  read<T>(work: (tables: ReadableTables, snapshot: PluginSnapshot) => Promise<T>): Promise<T>;
}

export interface ReadableTables extends HiddenTexts {
  (table: string): Knex.QueryBuilder;
  /**
   * Returns the rows whose columns equal the values; an array means any of them. The statement is prepared once, for
   * frequent reads.
   */
  select(
    table: string,
    where: Readonly<Record<string, SqlValue | readonly SqlValue[]>>,
    page?: RowPage,
  ): Promise<Record<string, SqlValue>[]>;
  /**
   * Parses rows, and leaves out each one with a damaged column: see `openJson`. A metric counts it, and the log names
   * it. `damaged` also gets it, for a row whose absence would open or stop something.
   */
  parse<R extends Row, T>(rows: readonly R[], parse: (row: R) => T, damaged?: (row: R) => void): T[];
  /** Parses a row; undefined for none. Throws `DamagedRow` for one with a damaged column, which replies 409. */
  parseOne<T>(row: Row | undefined, parse: (row: Row) => T): T | undefined;
}

export interface WritableTables extends ReadableTables {
  /** Inserts rows, all with the members of the first one. The statement is prepared once, for frequent writes. */
  insertRows(table: string, rows: readonly Row[]): Promise<void>;
  /**
   * When the transaction commits, calls this plugin's `onSignal` listeners of the topic, in every process on the store.
   * A commit with a signal costs more, so use it for rare changes, not for every fact.
   */
  signal(topic: string): void;
}

/** Seals the files that a plugin writes into its folder. */
export interface PluginFiles {
  /** True if the node has a seal. Without one, `seal` returns the bytes unchanged. */
  readonly isSealing: boolean;
  /** Seals the whole content of a file of the plugin. The bytes open under the same `name` only. */
  seal(name: string, bytes: Uint8Array): Uint8Array;
  /**
   * Opens bytes of `seal`. Other bytes are from before the node was sealed, and are returned unchanged. Throws
   * `unavailable` for bytes that were changed, or are of another file.
   */
  open(name: string, bytes: Uint8Array): Uint8Array;
}

export interface PluginContext<R extends Requires, C> {
  /** The checked settings, with defaults filled in. */
  readonly config: C;
  readonly log: Logger;
  readonly tables: PluginTables;
  readonly files: PluginFiles;
  readonly use: Resolved<R>;
  readonly on: On;
  /** Calls hooks that this plugin declares itself. */
  readonly hooks: HookCaller;
  route<P = undefined, Q = undefined, B = undefined>(route: Route<P, Q, B>): void;
  provide<T>(ref: Ref<T>, implementation: NoInfer<T>): void;
  /**
   * Returns the absolute path of the plugin's own folder in the data folder, accessible only to the user of the
   * process. Creates it on the first call. The plugin manages its files, backups included. The processes of a node
   * share the folder. A node that boots only to be described has a temporary folder.
   */
  dataFolder(): string;
  /**
   * Runs before the node serves, when every plugin is set up: all refs and hooks can be used. Tasks run in the order of
   * registration, plugin by plugin; each plugin has ten seconds. A throw is a boot problem: the node does not serve.
   * Runs in each process that serves, and not in a node that was booted for a command.
   */
  onStart(task: () => Awaitable<void>): void;
  /** Repeats `task`, the first time after one interval. Runs never overlap. Ends with the node. */
  every(intervalMs: number, task: () => Awaitable<void>): void;
  /**
   * Calls `listener` soon after each commit of any process that sent this plugin's topic (`WritableTables.signal`): in
   * this process before the write resolves, in others within a second. A hint without content: calls may be merged or
   * superfluous, so read the changes from the store. A listener that throws or rejects is called again after a pause.
   * Ends with the node. With `isAwaited`, a `tables.write` of this plugin in this process that sent the topic resolves
   * after the listener's promise. An awaited listener never writes, because that write would wait for itself.
   */
  onSignal(topic: string, listener: () => Awaitable<void>, options?: { readonly isAwaited?: boolean }): void;
  /** Runs when the node stops, in reverse order of registration, before the plugins stop that this one requires. */
  onStop(task: () => Awaitable<void>): void;
}

/** The input of `inspect`. */
export interface PluginInspection<C> {
  /** The checked settings, with defaults filled in. */
  readonly config: C;
  readonly node: NodeSettings;
  /** The notes of the node's store; undefined when no store can be opened. */
  readonly notes: NodeNotes | undefined;
  /** Reports a problem when no file can be created in the folder. */
  probeFolder(path: string): void;
}

/**
 * A feature of the node. Everything it adds goes through the context of `setup`, so that a disabled plugin leaves
 * nothing behind. `setup` runs after the migrations, and after the setup of every plugin whose refs it requires. Module
 * scope only defines.
 */
export interface Plugin<R extends Requires = Requires, C = unknown> {
  /** The kebab-case name: log tag, configuration key, and, with underscores instead of dashes, prefix of its tables. */
  readonly name: string;
  readonly version: string;
  readonly kernelApi: typeof KERNEL_API;
  /** A one-line summary for `plugins list`. */
  readonly summary?: string;
  /** Refs that the plugin needs. A required ref without a provider stops the boot. */
  readonly requires?: R;
  /** Services that the plugin provides, or a port that it replaces. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of refs of any kind
  readonly provides?: readonly Ref<any>[];
  /** Words that the plugin owns: error codes, permissions, marks. A clash with another owner stops the boot. */
  readonly declares?: readonly Word[];
  /** The object schema of the settings; without one the plugin has no settings. */
  readonly config?: Schema<C>;
  readonly migrations?: readonly Migration[];
  /** The columns of the plugin's tables that hold sealed texts. `verify` opens all of them. */
  readonly sealed?: readonly SealedColumns[];
  /**
   * The columns of the plugin's tables that repeat what somebody said. On a node with a key of the operator the kernel
   * seals them: see `ContentColumns`.
   */
  readonly contents?: readonly ContentColumns[];
  /** The plugin's files beside the store that prevent a restore from taking a withdrawal back. */
  readonly journals?: readonly WithdrawalJournal[];
  /** Commands for the command line. A command name that another plugin uses is a boot problem. */
  readonly commands?: readonly PluginCommand[];
  setup(context: PluginContext<R, C>): Awaitable<void>;
  /**
   * Checks for obstacles to a start, beyond settings and store; `plugins doctor` calls it. Runs without `setup` and
   * changes nothing. Throws the `ServiceError` that a start would.
   */
  inspect?(inspection: PluginInspection<C>): Awaitable<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the kernel holds plugins of any requirement and configuration
export type AnyPlugin = Plugin<any, any>;

/** Declares a plugin. Gives `setup` the types of its own requirements and settings. */
export const definePlugin = <const R extends Requires = Record<never, never>, C = undefined>(
  plugin: Plugin<R, C>,
): Plugin<R, C> => Object.freeze(plugin);
