import type { Readable, Writable } from 'node:stream';
import type { PluginCommand, Progress } from '../../kernel/command-api.ts';
import type { DescribedNode, GreetingPart, OfflineStore, Resolved } from '../../kernel/internal-api.ts';
import type {
  Clock,
  Logger,
  NodeSettings,
  ObjectStores,
  Random,
  Requires,
  Transport,
  Word,
} from '../../kernel/plugin-api.ts';

/** The dependencies that the composition root injects into the command line. */
export interface CommandLineDeps {
  readonly version: string;
  /** The environment of the process. `start` adds the values of its own flags. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  /** The stream for text to people and for answers to scripts. */
  readonly stdout: Writable;
  /** The stream for logs, progress and errors. */
  readonly stderr: Writable;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The absolute paths of an interpreter and its script, with which another program can start this one from any folder.
   */
  readonly program: readonly string[];
  /** Replaces each command in a text, such as a hint, by the words that the person must type in this folder. */
  asTyped(text: string): string;
  /** Returns the HTTP transport for commands. A command that serves listens on a free loopback port. */
  openTransport(): Promise<Transport>;
  /** Loads the commands of the configured plugins, and those of disabled plugins of this package. Never rejects. */
  loadCommands(options: ConfigSource): Promise<PluginCommands>;
  /** Composes a node without opening anything. Rejects with every problem of the configuration itself. */
  openNode(options: OpenNodeOptions): Promise<NodeHandle>;
  /** Finds every reason why a node of this configuration would not start. Creates and changes nothing. */
  inspectNode(options: ConfigSource): Promise<NodeInspection>;
  /** Returns the separate reasons for a failed start; empty for any other error. */
  problemsOf(error: unknown): readonly StartProblem[];
}

export interface ConfigSource {
  /** The path of the configuration file; undefined for the default file. */
  readonly configFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface OwnedCommand {
  readonly plugin: string;
  /** False when the plugin is disabled. */
  readonly enabled: boolean;
  readonly command: PluginCommand;
}

export interface PluginCommands {
  readonly commands: readonly OwnedCommand[];
  /** Words that the enabled plugins declare. */
  readonly words: readonly Word[];
  /** Reasons why words may be missing, such as a plugin that cannot be imported. */
  readonly problems: readonly StartProblem[];
}

export interface StartProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface NodeInspection {
  /** The reasons why the node would not start; empty when it would. */
  readonly problems: readonly StartProblem[];
  /** Parts of the configuration that have no effect now, although the node would start. */
  readonly warnings: readonly StartProblem[];
  /** The number of enabled plugins. */
  readonly pluginCount: number;
  /** The full location of the store, for people. */
  readonly store: string;
  /** False when the store does not exist yet, or cannot be inspected. */
  readonly hasStore: boolean;
  /** The id of the key of the operator with which the store is sealed; null for a clear store, and without one. */
  readonly sealedWith: string | null;
}

export interface OpenNodeOptions extends ConfigSource {
  /** False for a node that prepares the store but does not listen. */
  readonly serve: boolean;
  /** Whether `start` creates a missing store. Otherwise it rejects with `lookup` and names the searched location. */
  readonly createsStore: boolean;
  /** The index, from 0, of this process among those that share a port. Its log lines contain it. */
  readonly worker?: number | undefined;
}

/** One node, from its configuration to its stop. */
export interface NodeHandle {
  /**
   * Boots the node: migrates the store, sets the plugins up and serves if requested. Rejects with all boot problems
   * together.
   */
  start(): Promise<void>;
  /** Boots as `start` does, without serving, for the common work before several processes serve. */
  prepare(): Promise<void>;
  /** Drains requests, then closes everything. Idempotent, and harmless before `start`. */
  stop(): Promise<void>;
  /**
   * Describes the configuration without starting this node or opening its store. The plugin named by `including` is
   * described as if it were enabled. Rejects with all boot problems together.
   */
  describe(including?: string): Promise<DescribedNode>;
  /** The base address while the node serves, for example `http://127.0.0.1:8765`; null otherwise. */
  url(): string | null;
  /** Returns whether the boot has created the store. Only for a booted node; still valid after `stop`. */
  hasNewStore(): boolean;
  /**
   * Returns the plugins' messages to a person who has started the booted node by hand. With `isDue` those of a first
   * start come again.
   */
  greet(isDue?: boolean): Promise<readonly GreetingPart[]>;
  /** Returns services of a booted node. Rejects with `unavailable` for one that no plugin provides. */
  use<R extends Requires>(requires: R): Resolved<R>;
  /** Returns the settings of an enabled plugin, which are known before the boot. */
  configOf(plugin: string): unknown;
  /** Rejects with `lookup` when there is no store. */
  requireStore(): Promise<void>;
  /**
   * Begins a new epoch of the store and sets its clock forward, on a node that was not started. Rejects with `lookup`
   * when there is no store.
   */
  markRestored(): Promise<RestoredStore>;
  /** The store of a node that was not started. */
  readonly offlineStore: OfflineStore;
  /** The seal of files that leave this node. */
  readonly fileSeal: FileSeal;
  /** The seal of that store. */
  readonly encryption: EncryptionWork;
  /**
   * Runs work with a way to compose nodes of the same configuration on an empty throw-away store. Its files lie in the
   * given folder, which the caller removes. Rejects with `unavailable` where no such store can be made.
   */
  withSpare<T>(folder: string, work: (open: () => Promise<NodeHandle>) => Promise<T>): Promise<T>;
  readonly objects: ObjectStores;
  readonly settings: NodeSettings;
  /** The log of the node, usable before `start` and after `stop`. */
  readonly log: Logger;
}

/** Seals and opens single files, such as exports. */
export interface FileSeal {
  /** Undefined for a node without a key of the operator. */
  readonly seal: ((content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | undefined;
  /** Rejects with `conflict` where no key opens the file, and with `validation` for a damaged one. */
  open(sealed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** A rewriting of the whole store: sealed, clear, or sealed with new content keys. */
export type Conversion = 'on' | 'off' | 'rotate';

export interface EncryptionStatus {
  readonly isSealed: boolean;
  /** The id of the key of the operator that opens the content keys. Null without a file of content keys. */
  readonly keyId: string | null;
  /** The path of the file of content keys. */
  readonly keyFile: string;
  readonly version: number | null;
  /** The rewriting that was begun and not finished. */
  readonly unfinished: Conversion | null;
}

/** Remains of a store's former form. */
export interface FormerRemains {
  /** Places that may still hold contents as they were. */
  readonly places: readonly string[];
  /** Sentences about copies of the content keys that could not be replaced. */
  readonly copies: readonly string[];
}

/** The seal of a store that no process uses. */
export interface EncryptionWork {
  status(): Promise<EncryptionStatus>;
  /** Seals the content keys with the present key of the operator, in the file and its copies. */
  rewrap(): Promise<{
    readonly keyId: string;
    readonly formerKeyId: string;
    readonly copiesNotReplaced: readonly string[];
  }>;
  /**
   * Rewrites the store in pieces, or goes on with it. `progress` gets the number of rows so far. */
  convert(conversion: Conversion, progress: Pick<Progress, 'update' | 'say'>): Promise<FormerRemains>;
}

/** The change of a restored store's clock, in milliseconds since the epoch. */
export interface RestoredStore {
  readonly fromMs: number;
  readonly toMs: number;
}
