import type { Knex } from 'knex';
import type { Migration, Ref, Row, RowPage, SqlValue } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import type { PluginCommand } from '../commands/command-definition.ts';
import type { Requires, Resolved } from '../container/requires.ts';
import type { HookCaller, On } from '../hooks/define-hook.ts';
import type { Route } from '../http/route-definition.ts';
import type { NodeNotes } from '../identity/node-notes.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
import type { Logger } from '../log/logger.ts';
import type { PluginSnapshot, PluginTransaction } from '../store/plugin-transaction.ts';
import type { Awaitable } from '../time/awaitable.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';

/** Version of this interface. An integer, because a range that nobody tests says nothing. */
export const KERNEL_API = 1;

/** A plugin's tables, by their full name; any name that does not start with the plugin's prefix is refused. */
export interface PluginTables {
  /**
   * Query builder outside any transaction; each query runs and commits by itself. Throws inside a write, where it would
   * wait for itself: use `in`.
   */
  (table: string): Knex.QueryBuilder;
  /** The same tables within one transaction or snapshot. */
  in(transaction: PluginTransaction): WritableTables;
  in(snapshot: PluginSnapshot): ReadableTables;
  /** Runs `work` in a write transaction of its own, for state apart from facts. */
  write<T>(tenantId: string, work: (tables: WritableTables, transaction: PluginTransaction) => Promise<T>): Promise<T>;
  /** Runs `work` on one snapshot. */
  read<T>(work: (tables: ReadableTables, snapshot: PluginSnapshot) => Promise<T>): Promise<T>;
}

export interface ReadableTables {
  (table: string): Knex.QueryBuilder;
  /** Rows whose columns equal the values, an array meaning any of them. Prepared once: the hot path's read. */
  select(
    table: string,
    where: Readonly<Record<string, SqlValue | readonly SqlValue[]>>,
    page?: RowPage,
  ): Promise<Record<string, SqlValue>[]>;
}

export interface WritableTables extends ReadableTables {
  /** Inserts rows, all with the members of the first one. Prepared once: the hot path's write. */
  insertRows(table: string, rows: readonly Row[]): Promise<void>;
  /**
   * When the transaction commits, calls this plugin's `onSignal` listeners of the topic, in every process on the store.
   * A commit with a signal costs more, so use it for rare changes, not for every fact.
   */
  signal(topic: string): void;
}

export interface PluginContext<R extends Requires, C> {
  /** Checked, with defaults filled. */
  readonly config: C;
  readonly log: Logger;
  readonly tables: PluginTables;
  readonly use: Resolved<R>;
  readonly on: On;
  /** For hooks that this plugin declares itself. */
  readonly hooks: HookCaller;
  route<P = undefined, Q = undefined, B = undefined>(route: Route<P, Q, B>): void;
  provide<T>(ref: Ref<T>, implementation: NoInfer<T>): void;
  /**
   * Returns the absolute path of the plugin's own folder in the data folder, for the user of the process alone. Creates
   * it on the first call. The plugin manages its files, backups included. Several processes of one node share it, and a
   * temporary description of a node has another one.
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
   * Calls `listener` soon after each commit of any process that raised this plugin's topic (`WritableTables.signal`):
   * here before the write resolves, elsewhere within a second. A hint without content: calls may be merged or come
   * without need, so read the changes from the store. Ends with the node.
   */
  onSignal(topic: string, listener: () => void): void;
  /** Runs when the node stops, in reverse order of registration, before the plugins stop that this one requires. */
  onStop(task: () => Awaitable<void>): void;
}

/** The input of `inspect`. */
export interface PluginInspection<C> {
  /** Checked, with defaults filled. */
  readonly config: C;
  readonly node: NodeSettings;
  /** Notes of the node's store; undefined without a store that can be opened. */
  readonly notes: NodeNotes | undefined;
  /** Reports a folder in which no file can be made. */
  probeFolder(path: string): void;
}

/**
 * A feature of the node. Everything it adds goes through the context of `setup`, so that a disabled plugin leaves
 * nothing behind. `setup` runs after the migrations, and after the setup of every plugin whose refs it requires. Module
 * scope only defines.
 */
export interface Plugin<R extends Requires = Requires, C = unknown> {
  /** kebab-case: log tag, configuration key, and, with dashes turned into underscores, prefix of its tables. */
  readonly name: string;
  readonly version: string;
  readonly kernelApi: typeof KERNEL_API;
  /** One line for `plugins list`. */
  readonly summary?: string;
  /** Refs that the plugin needs. A required ref without a provider stops the boot. */
  readonly requires?: R;
  /** Services it provides, or a port that it replaces. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of refs of any kind
  readonly provides?: readonly Ref<any>[];
  /** Words that the plugin owns: error codes, permissions, marks. A clash with another owner stops the boot. */
  readonly declares?: readonly Word[];
  /** An object schema; without one the plugin takes no settings. */
  readonly config?: Schema<C>;
  readonly migrations?: readonly Migration[];
  /** Commands for the command line. A name that another plugin uses is a boot problem. */
  readonly commands?: readonly PluginCommand[];
  setup(context: PluginContext<R, C>): Awaitable<void>;
  /**
   * Looks for obstacles to a start, beyond settings and store; `plugins doctor` calls it. Runs without `setup` and
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
