import type {
  Authorizer,
  Clock,
  ContentSeal,
  FactStore,
  Listener,
  Migration,
  OwnedMigration,
  Ref,
  Transport,
} from '../../ports/ports.ts';
import type { Get } from '../container/awilix-container.ts';
import type { Random } from '../crypto/random.ts';
import type { DescribedNode, NodeDescription } from '../description/node-description.ts';
import type { GreetingPart } from '../hooks/node-hooks.ts';
import type { InspectReply } from '../http/compile-route.ts';
import type { NodeIdentitySettings } from '../identity/node-record.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
import type { StoreCopies } from '../leases/store-copies.ts';
import type { Logger } from '../log/logger.ts';
import type { Environment } from '../plugins/environment-value.ts';
import type { SettingReport } from '../plugins/plugin-config.ts';
import type { AnyPlugin } from '../plugins/plugin-definition.ts';
import type { BootProblem } from '../problems/boot-problem.ts';
import type { Awaitable } from '../time/awaitable.ts';
import type { Components } from '../vocabulary/components.ts';
import type { OwnedWord } from '../vocabulary/vocabulary.ts';
import type { ProbeFolder } from './inspect-store.ts';
import type { Installation } from './plan-boot.ts';

/** The adapters of a node. Each is created once, when the node boots. */
export interface KernelAdapters {
  readonly clock: Clock;
  readonly random: Random;
  store(): Awaitable<FactStore>;
  /** Called once the store has its tables, before anything else uses it. */
  readonly afterMigrations?: (store: FactStore) => Promise<void>;
  /** The seal of what the store holds, which is provided as `ContentSeal`. Undefined for a store that is not sealed. */
  readonly contentSeal?: () => Awaitable<ContentSeal | undefined>;
  /** The state of that seal. Absent: the store is clear. */
  readonly readSeal?: NodeDescription['readSeal'];
  /** See `StoreCopies.placeKeys`. Absent: the store has no keys. */
  readonly placeKeys?: StoreCopies['placeKeys'];
  transport(): Awaitable<Transport>;
  /** Further refs that adapters provide, such as the embedder. */
  readonly extras?: readonly AdapterBinding[];
  /**
   * Replaces the plugins' Authorizer, which is `inner`. Without it, the node uses that of the plugins, and refuses to
   * start when there is none.
   */
  authorizer?(inner: Authorizer | undefined): Awaitable<Authorizer>;
}

export interface AdapterBinding {
  // biome-ignore lint/suspicious/noExplicitAny: a list of refs of any kind
  readonly ref: Ref<any>;
  /** Creates the part. Called once, and only when a plugin requires the ref. */
  create(get: Get): Awaitable<unknown>;
  /** Closes the part, after all plugins have stopped. */
  close?(made: unknown): Awaitable<void>;
}

export interface KernelOptions {
  readonly node: NodeSettings;
  /** Returns whether pages of this origin may call a node without keys. Default: only the node's own pages may. */
  readonly allowsOrigin?: (origin: string) => boolean;
  /** Whether to put plugin files into the data folder, regardless of other settings. */
  readonly usesOnlyDataFolder?: boolean | undefined;
  readonly installations: readonly Installation[];
  readonly adapters: KernelAdapters;
  readonly coreMigrations: readonly Migration[];
  readonly identity: NodeIdentitySettings;
  readonly env: Environment;
  readonly log: Logger;
  /** The settings of the node and its adapters, for `describe`. */
  readonly settings?: readonly SettingReport[];
  /** Problems found earlier, which are reported together with those of the kernel. */
  readonly problems?: readonly BootProblem[];
  /** For tests: the returned function checks every reply against the declaration of its route. */
  readonly inspectReplies?: ((components: Components) => InspectReply) | undefined;
  /**
   * Words that stay in force while their plugin is disabled, above all reserved names. Otherwise a client could use
   * such a name today, and its facts would count as the plugin's when the plugin is enabled again.
   */
  readonly reservedWords?: readonly OwnedWord[];
  readonly suggestProvider?: (refId: string) => string | undefined;
  /** Loads the disabled plugins of the package, so that a description can name them. */
  readonly switchedOff?: () => Promise<readonly AnyPlugin[]>;
}

/** A node: its boot, its stop and its description. */
export interface Kernel {
  /**
   * Opens the store, migrates it and sets up every plugin, without serving. Runs once: later calls return the first
   * result.
   */
  boot(): Promise<void>;
  /** Boots, then serves. */
  start(): Promise<Listener>;
  /** Drains running requests, then closes everything in reverse order. Idempotent; harmless at any time. */
  stop(): Promise<void>;
  /** Describes the node; boots it if needed. */
  describe(): Promise<DescribedNode>;
  /**
   * Returns the reasons why a boot would fail on this store, or without one, as far as store and plugins can tell.
   * Read-only; works on a node that is not booted.
   */
  inspect(store: FactStore | undefined, probeFolder: ProbeFolder): Promise<readonly BootProblem[]>;
  /**
   * Returns all migrations that the program contains: those of the core, and those of its plugins, even disabled ones.
   */
  knownMigrations(): Promise<readonly OwnedMigration[]>;
  /** The migrations that a boot would apply to an empty store. */
  readonly migrations: readonly OwnedMigration[];
  /** All settings of the node, known before the boot. */
  readonly settings: readonly SettingReport[];
  /** Returns the checked settings of an enabled plugin, known before the boot. */
  configOf(plugin: string): unknown;
  /** Returns whether the boot has created the tables of the store. Only for a booted node. */
  hasNewStore(): boolean;
  /** Returns the plugins' greetings after a manual start, see `GreetingRequest`. Only for a booted node. */
  greet(isDue?: boolean): Promise<readonly GreetingPart[]>;
  /** Returns a service of the booted node. Throws for a ref without a provider. */
  get: Get;
  has(ref: { readonly id: string }): boolean;
}
