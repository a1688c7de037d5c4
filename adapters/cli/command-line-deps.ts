import type { Readable, Writable } from 'node:stream';
import type { PluginCommand } from '../../kernel/command-api.ts';
import type { DescribedNode, GreetingPart, OfflineStore, Resolved } from '../../kernel/internal-api.ts';
import type { Clock, Logger, NodeSettings, Random, Requires, Transport, Word } from '../../kernel/plugin-api.ts';

/** The parts that the composition root gives to the command line. */
export interface CommandLineDeps {
  readonly version: string;
  /** As the process got it; `start` adds what its own flags set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  /** Text for people, and answers for scripts. */
  readonly stdout: Writable;
  /** Logs, progress and errors. */
  readonly stderr: Writable;
  readonly clock: Clock;
  readonly random: Random;
  /** How another program starts this one from any folder: absolute paths of an interpreter and its script. */
  readonly program: readonly string[];
  /** HTTP for commands. A command listens on a free port that this machine alone can reach. */
  openTransport(): Promise<Transport>;
  /** Commands of the plugins of a configuration, including those of this package that are off. Never rejects. */
  loadCommands(options: ConfigSource): Promise<PluginCommands>;
  /** Composes a node. Nothing is opened yet; rejects with every problem that the configuration alone shows. */
  openNode(options: OpenNodeOptions): Promise<NodeHandle>;
  /** Looks for every reason why a node of this configuration would not start. Creates and changes nothing. */
  inspectNode(options: ConfigSource): Promise<NodeInspection>;
  /** The single reasons behind a failed start, empty for any other error. */
  problemsOf(error: unknown): readonly StartProblem[];
}

export interface ConfigSource {
  /** Path of the configuration file, undefined for the default one. */
  readonly configFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface OwnedCommand {
  readonly plugin: string;
  /** False where the plugin is switched off. */
  readonly enabled: boolean;
  readonly command: PluginCommand;
}

export interface PluginCommands {
  readonly commands: readonly OwnedCommand[];
  /** Words that the plugins declare which are on. */
  readonly words: readonly Word[];
  /** Reasons why some may be missing, such as a plugin that cannot be imported. */
  readonly problems: readonly StartProblem[];
}

export interface StartProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface NodeInspection {
  /** Empty when the node would start. */
  readonly problems: readonly StartProblem[];
  /** Plugins that are on. */
  readonly pluginCount: number;
  /** Where the store is, for people, in full. */
  readonly store: string;
  /** False before the first start has made it, and when it cannot be inspected. */
  readonly hasStore: boolean;
}

export interface OpenNodeOptions extends ConfigSource {
  /** False boots everything but the listener: the store is prepared, nothing is served. */
  readonly serve: boolean;
  /**
   * Whether `start` makes the store when there is none. Otherwise it rejects with `lookup` and names the place where it
   * looked.
   */
  readonly createsStore: boolean;
  /** Place, from 0, of one of several processes that serve together behind one port: its log lines say which. */
  readonly worker?: number | undefined;
}

/** One node, from its configuration to its end. */
export interface NodeHandle {
  /**
   * Boots: migrates the store, sets the plugins up and, when asked to, serves. Rejects with all boot problems together.
   */
  start(): Promise<void>;
  /** Boots as `start` does, without serving: the work that comes once before several processes serve. */
  prepare(): Promise<void>;
  /** Drains, then closes everything. Idempotent, and harmless before `start`. */
  stop(): Promise<void>;
  /**
   * Describes the configuration. This node is not started, and its store is not opened. `including` names a plugin that
   * is described as if it were on. Rejects with all boot problems together.
   */
  describe(including?: string): Promise<DescribedNode>;
  /** Base address while serving, for example `http://127.0.0.1:8765`; null otherwise. */
  url(): string | null;
  /** Messages of the plugins of a booted node to a person who has started it by hand. */
  greet(): Promise<readonly GreetingPart[]>;
  /** Parts of a booted node. Rejects with `unavailable` for one that no plugin provides. */
  use<R extends Requires>(requires: R): Resolved<R>;
  /** Settings of one plugin that is on, known before the boot. */
  configOf(plugin: string): unknown;
  /** Rejects with `lookup` where there is no store. */
  requireStore(): Promise<void>;
  /**
   * Begins a new epoch of the store and steps its clock forward, on a node that was not started. Rejects with `lookup`
   * where there is no store.
   */
  markRestored(): Promise<RestoredStore>;
  /** The store, on a node that was not started. */
  readonly offlineStore: OfflineStore;
  readonly settings: NodeSettings;
  /** The node's log, usable before `start` and after `stop`. */
  readonly log: Logger;
}

/** How the clock of a restored store was stepped, milliseconds since the epoch. */
export interface RestoredStore {
  readonly fromMs: number;
  readonly toMs: number;
}
