import type {
  Authorizer,
  Clock,
  FactStore,
  Listener,
  Migration,
  OwnedMigration,
  Ref,
  Transport,
} from '../../ports/ports.ts';
import type { Get } from '../container/awilix-container.ts';
import type { Random } from '../crypto/random.ts';
import type { DescribedNode } from '../description/node-description.ts';
import type { GreetingPart } from '../hooks/node-hooks.ts';
import type { InspectReply } from '../http/compile-route.ts';
import type { NodeIdentitySettings } from '../identity/node-record.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
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

/** The environment of a node. Each is made once, when the node boots. */
export interface KernelAdapters {
  readonly clock: Clock;
  readonly random: Random;
  store(): Awaitable<FactStore>;
  transport(): Awaitable<Transport>;
  /** Further refs that adapters provide, the embedder for example. */
  readonly extras?: readonly AdapterBinding[];
  /**
   * Replaces the Authorizer of the plugins, which is `inner`. Absent: the one of the plugins counts, and a node without
   * any refuses to start.
   */
  authorizer?(inner: Authorizer | undefined): Awaitable<Authorizer>;
}

export interface AdapterBinding {
  // biome-ignore lint/suspicious/noExplicitAny: a list of refs of any kind
  readonly ref: Ref<any>;
  /** Called once, and only where a plugin requires the ref. */
  create(get: Get): Awaitable<unknown>;
  /** Ends the part, after all plugins have stopped. */
  close?(made: unknown): Awaitable<void>;
}

export interface KernelOptions {
  readonly node: NodeSettings;
  /** Whether pages of this origin may call a node without keys; without it only the node's own may. */
  readonly allowsOrigin?: (origin: string) => boolean;
  /** Puts the files of plugins into the data folder, against any other setting. */
  readonly usesOnlyDataFolder?: boolean | undefined;
  readonly installations: readonly Installation[];
  readonly adapters: KernelAdapters;
  readonly coreMigrations: readonly Migration[];
  readonly identity: NodeIdentitySettings;
  readonly env: Environment;
  readonly log: Logger;
  /** Settings of the node and its adapters, for `describe`. */
  readonly settings?: readonly SettingReport[];
  /** Problems from before, reported together with those that the kernel finds. */
  readonly problems?: readonly BootProblem[];
  /** For tests: the returned function checks every reply of the node against the declaration of its route. */
  readonly inspectReplies?: ((components: Components) => InspectReply) | undefined;
  /**
   * Words that stay in force while their plugin is disabled, above all reserved names: a name that a client could take
   * today would be believed when the plugin is enabled again.
   */
  readonly reservedWords?: readonly OwnedWord[];
  readonly suggestProvider?: (refId: string) => string | undefined;
  /** Loads the disabled plugins of the package, for a description to name. */
  readonly switchedOff?: () => Promise<readonly AnyPlugin[]>;
}

/** One node. */
export interface Kernel {
  /**
   * Opens the store, migrates it and sets up every plugin, without serving. Runs once: later calls return the first
   * result.
   */
  boot(): Promise<void>;
  /** Boots, then serves. */
  start(): Promise<Listener>;
  /** Drains running requests, then ends everything in reverse order. Idempotent; harmless at any time. */
  stop(): Promise<void>;
  /** Describes the node; boots it if needed. */
  describe(): Promise<DescribedNode>;
  /**
   * Returns why a boot would fail on this store, or before there is one, as far as store and plugins can tell. Changes
   * nothing, and neither boots the node nor needs it booted.
   */
  inspect(store: FactStore | undefined, probeFolder: ProbeFolder): Promise<readonly BootProblem[]>;
  /** All migrations that the program knows: of the core, and of its plugins, enabled or not. */
  knownMigrations(): Promise<readonly OwnedMigration[]>;
  /** The migrations that a boot would apply to an empty store. */
  readonly migrations: readonly OwnedMigration[];
  /** All settings; known before the boot. */
  readonly settings: readonly SettingReport[];
  /** The checked settings of an enabled plugin; known before the boot. */
  configOf(plugin: string): unknown;
  /** Collects the greeting of the plugins after a start by hand; for a booted node. */
  greet(): Promise<readonly GreetingPart[]>;
  /** Returns a part of the booted node. Throws for a ref without a provider. */
  get: Get;
  has(ref: { readonly id: string }): boolean;
}
