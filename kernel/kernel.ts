import type {
  Authorizer,
  Clock,
  FactStore,
  Listener,
  Migration,
  OwnedMigration,
  Ref,
  Transport,
} from '../ports/ports.ts';
import type { BootProblem } from './boot/boot-problem.ts';
import type { ProbeFolder } from './boot/inspect-store.ts';
import type { Installation } from './boot/plan-boot.ts';
import type { Get } from './container/awilix-container.ts';
import type { Random } from './crypto/random.ts';
import type { DescribedNode } from './description/node-description.ts';
import type { GreetingPart } from './hooks/kernel-hooks.ts';
import type { InspectReply } from './http/compile-route.ts';
import type { NodeIdentitySettings } from './identity/node-record.ts';
import type { NodeSettings } from './identity/node-settings.ts';
import type { Logger } from './log/logger.ts';
import type { Environment } from './plugins/environment-value.ts';
import type { SettingReport } from './plugins/plugin-config.ts';
import type { AnyPlugin } from './plugins/plugin-definition.ts';
import type { Awaitable } from './plugins/route-definition.ts';
import type { Components } from './vocabulary/components.ts';
import type { OwnedWord } from './vocabulary/vocabulary.ts';

/** The environment of a node. Each is made once, when the node boots. */
export interface KernelAdapters {
  readonly clock: Clock;
  readonly random: Random;
  store(): Awaitable<FactStore>;
  transport(): Awaitable<Transport>;
  /** Further refs that adapters provide, the embedder for example. */
  readonly extras?: readonly AdapterBinding[];
  /**
   * Judges credentials in place of what a plugin provides, which is `inner`. Absent, what the plugins provide does, and
   * a node without any refuses to start.
   */
  authorizer?(inner: Authorizer | undefined): Awaitable<Authorizer>;
}

export interface AdapterBinding {
  // biome-ignore lint/suspicious/noExplicitAny: a list of refs of any kind
  readonly ref: Ref<any>;
  /** Called once, and only where a plugin requires the ref. */
  create(get: Get): Awaitable<unknown>;
  /** Ends what was made, after all plugins have stopped. */
  close?(made: unknown): Awaitable<void>;
}

export interface KernelOptions {
  readonly node: NodeSettings;
  /** Whether pages of this origin may call a node that asks for no keys; without it those of the node alone may. */
  readonly allowsOrigin?: (origin: string) => boolean;
  /** Whether files of plugins lie in the data folder whatever their settings say. */
  readonly keepsToDataFolder?: boolean | undefined;
  readonly installations: readonly Installation[];
  readonly adapters: KernelAdapters;
  readonly coreMigrations: readonly Migration[];
  readonly identity: NodeIdentitySettings;
  readonly env: Environment;
  readonly log: Logger;
  /** Settings of the node and its adapters, for `describe`. */
  readonly settings?: readonly SettingReport[];
  /** What was found wrong before: reported together with what the kernel finds. */
  readonly problems?: readonly BootProblem[];
  /** For tests: what it returns judges every reply of the node against what the route declares. */
  readonly inspectReplies?: ((components: Components) => InspectReply) | undefined;
  /**
   * Words of plugins that hold while their plugin is off, reserved names above all: a name that a client could take
   * today would be believed when the plugin is on again.
   */
  readonly keptWords?: readonly OwnedWord[];
  readonly suggestProvider?: (refId: string) => string | undefined;
  /** Loads the plugins of ours that are switched off, for a description to name. */
  readonly switchedOff?: () => Promise<readonly AnyPlugin[]>;
}

/** One node. */
export interface Kernel {
  /** Opens the store, migrates it and sets up every plugin, without serving. Once: later calls answer as the first. */
  boot(): Promise<void>;
  /** Boots, then serves. */
  start(): Promise<Listener>;
  /** Drains what runs, then ends everything in reverse order. Idempotent; harmless at any time. */
  stop(): Promise<void>;
  /** What the node consists of; boots it if needed. */
  describe(): Promise<DescribedNode>;
  /**
   * Why a boot would fail on this store, or before there is one, as far as store and plugins can tell. Changes nothing;
   * neither boots the node nor needs it booted.
   */
  inspect(store: FactStore | undefined, probeFolder: ProbeFolder): Promise<readonly BootProblem[]>;
  /** All migrations that the program knows: of the core, of plugins that are on, and of those of ours that are off. */
  knownMigrations(): Promise<readonly OwnedMigration[]>;
  /** Those that a boot would apply to an empty store. */
  readonly migrations: readonly OwnedMigration[];
  /** How everything is set; known before the boot. */
  readonly settings: readonly SettingReport[];
  /** The settings of a plugin that is on, checked; known before the boot. */
  configOf(plugin: string): unknown;
  /** What plugins do and say when somebody has started the node by hand; for a booted node. */
  greet(): Promise<readonly GreetingPart[]>;
  /** A part of the booted node. Throws for a ref that nobody provides. */
  get: Get;
  has(ref: { readonly id: string }): boolean;
}
