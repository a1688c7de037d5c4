import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNode, type Node } from '../../config/create-node.ts';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import type { Kernel } from '../../kernel/boot/kernel.ts';
import {
  Authorizer,
  DEFAULT_TENANT,
  Facts,
  NodeSelf,
  nodePrincipal,
  type Principal,
  type Random,
  SCOPES,
  type Scope,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { Settings } from '../../kernel/plugins/plugin-config.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { KeyRegistry } from '../../plugins/keys/keys-api.ts';
import { Tenants } from '../../plugins/multi-tenant/multi-tenant-api.ts';
import type { FactStore } from '../../ports/ports.ts';
import { createKeyRing, type KeyRing } from '../fakes/key-ring.ts';
import { createLoopbackNetwork, type LoopbackNetwork } from '../fakes/loopback-network.ts';
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../fakes/memory-logger.ts';
import { quietBilling } from '../fakes/quiet-billing.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { checkReplies } from './check-replies.ts';
import { currentThreads } from './for-each-layout.ts';
import { currentStore, type StoreKind } from './for-each-store.ts';
import { scratchPlace } from './scratch-place.ts';
import { createTestRequest, type TestRequest } from './test-request.ts';
import { givenTestStore, planTestStore } from './test-store.ts';

export interface TestNodeOptions {
  /**
   * The plugins of the node: names of bundled ones, or plugin objects. All others are off. By default the default
   * plugins. If no plugin checks keys, an in-memory key ring does, so `addKey` always works.
   */
  readonly plugins?: readonly (string | AnyPlugin)[];
  /** Plugins in addition to `plugins`, or to the default ones. */
  readonly extra?: readonly AnyPlugin[];
  /** Settings by plugin name. */
  readonly settings?: Readonly<Record<string, Settings>>;
  /** The `node` section of the configuration. */
  readonly node?: Settings;
  /** All variables that the node sees; the variables of the test run are hidden. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: ManualClock;
  readonly random?: Random;
  /** The engine of the store; by default that of the suite (`forEachStore`), otherwise SQLite. */
  readonly store?: StoreKind;
  /** The address of an empty PostgreSQL database for the store, which the test removes. */
  readonly databaseUrl?: string;
  /** The folder of the node and its store. A given folder is not removed, so that another node can start on it. */
  readonly folder?: string;
  /** True for a sealed store, with keys in files of the folder. The store cannot be wrapped. */
  readonly isSealed?: boolean;
  /** Wraps the store of the node. */
  readonly wrapStore?: (store: FactStore) => FactStore;
  readonly network?: LoopbackNetwork;
  /** The address on the network. */
  readonly url?: string;
  /** The index of the node among worker processes with the same folder. */
  readonly worker?: number;
  /** False opens the node without serving, as a command does. */
  readonly serves?: boolean;
}

export interface KeyOptions {
  readonly entityUri?: string;
  /** The permissions of the key; by default read and write. */
  readonly permissions?: readonly string[];
  /** The scopes of the key; by default all. */
  readonly scopes?: readonly Scope[];
  readonly tenantId?: string;
}

export interface TestNode {
  readonly request: TestRequest;
  readonly facts: Facts;
  readonly kernel: Kernel;
  readonly node: Node;
  readonly clock: ManualClock;
  readonly network: LoopbackNetwork;
  readonly url: string;
  readonly folder: string;
  readonly logLines: readonly LogLine[];
  /** Registers a new key, and returns it. */
  addKey(options?: KeyOptions): Promise<string>;
  /** Stops the node, and removes its folder unless the test gave one. Idempotent. */
  stop(): Promise<void>;
}

/** The key of the operator of each sealed node. */
export const OPERATOR_KEY = Buffer.from('0123456789abcdef'.repeat(4), 'hex');
/** Returns the file of content keys of a sealed node. */
export const contentKeysIn = (folder: string): string => join(folder, 'content-keys.json');

const DEFAULT_URL = 'http://localhost:8765';

/**
 * Starts a node with the real composition and a real store, but with time, randomness and network under test control.
 * Rejects when the start fails.
 */
export const startTestNode = async (options: TestNodeOptions = {}): Promise<TestNode> => {
  const { clock = createManualClock(), network = createLoopbackNetwork(), url = DEFAULT_URL } = options;
  const { wrapStore = (opened) => opened } = options;
  // In memory if possible, because a small node spends most time on the disk, and these tests need no durability.
  const folder = options.folder ?? (await mkdtemp(join(await scratchPlace(), 'node-')));
  const logLines: LogLine[] = [];
  const { databaseUrl } = options;
  const store =
    databaseUrl === undefined
      ? await planTestStore(options.store ?? currentStore(), folder, tablesOf(options))
      : givenTestStore(databaseUrl, folder);
  const removeFolder = async () => {
    if (options.folder !== undefined) return;
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  };
  const random = options.random ?? createSeededRandom();
  const keyRing = createKeyRing();
  const plugins = pluginObjects(options, keyRing);
  let node: Node | undefined;
  try {
    if (options.isSealed === true) await store.fill(undefined);
    node = await createNode({
      env: { ...layout(options), ...(options.isSealed === true && (await sealing(folder))), ...options.env },
      plugins,
      inspectReplies: checkReplies,
      worker: options.worker,
      overrides: {
        node: { url, ...options.node },
        adapters: { store: store.settings },
        plugins: { ...switches(options.plugins), ...options.settings },
      },
      adapters: {
        clock,
        random,
        log: createMemoryLogger(logLines),
        transport: network.transport(url),
        ...(options.isSealed !== true && {
          store: async () => {
            // Plugins of two tests may share a name but need different tables.
            const areOurs = plugins.every(({ migrations = [] }) => migrations.length === 0);
            await store.fill(areOurs ? node?.kernel.migrations : undefined);
            return wrapStore(store.open());
          },
        }),
        extras: [quietBilling],
      },
    });
    await (options.serves === false ? node.prepare() : node.start());
  } catch (error) {
    await node?.stop();
    await removeFolder();
    throw error;
  }
  const { kernel } = node;
  const started = node;
  return {
    request: createTestRequest(network, url),
    facts: kernel.get(Facts),
    kernel,
    node,
    clock,
    network,
    url,
    folder,
    logLines,
    addKey: (key) => addKey(kernel, keyRing, random, key),
    stop: async () => {
      await started.stop();
      await removeFolder();
    },
  };
};

/** Returns the variables of a sealed node, whose key of the operator is in its folder. */
const sealing = async (folder: string): Promise<Record<string, string>> => {
  const SVC_ENCRYPTION_KEY_FILE = join(folder, 'operator.key');
  await writeFile(SVC_ENCRYPTION_KEY_FILE, OPERATOR_KEY.toString('hex'), { mode: 0o600 });
  return { SVC_ENCRYPTION_KEY_FILE, SVC_ENCRYPTION_KEY_STORE: contentKeysIn(folder) };
};

/** With a list of plugins, all unlisted bundled ones are off. */
const switches = (plugins: TestNodeOptions['plugins']): Record<string, boolean> => {
  if (plugins === undefined) return {};
  const named = new Set(plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.name)));
  return Object.fromEntries(
    [...new Set([...Object.keys(PLUGIN_CATALOG), ...named])].map((name) => [name, named.has(name)]),
  );
};

/** Names the plugins that decide which tables a node has. */
const tablesOf = ({ plugins, settings = {} }: TestNodeOptions): string => {
  const switched = Object.entries(settings).filter(([, value]) => typeof value === 'boolean');
  return JSON.stringify([plugins?.filter((plugin) => typeof plugin === 'string').sort(), switched]);
};

/** A node without a search index does not read the variable, and would warn about it. */
const layout = ({ plugins }: TestNodeOptions): Record<string, string> =>
  plugins === undefined || plugins.includes('search') ? { SVC_SEARCH_THREAD: currentThreads() } : {};

const pluginObjects = ({ plugins = ['keys'], extra = [], node }: TestNodeOptions, keyRing: KeyRing): AnyPlugin[] => {
  const objects = [...plugins.filter((plugin) => typeof plugin !== 'string'), ...extra];
  const checksKeys =
    plugins.includes('keys') || objects.some(({ provides = [] }) => provides.some(({ id }) => id === Authorizer.id));
  return checksKeys || node?.['authRequired'] === false ? objects : [...objects, keyRing.plugin];
};

const addKey = async (kernel: Kernel, keyRing: KeyRing, random: Random, options: KeyOptions = {}): Promise<string> => {
  const {
    entityUri = 'agent:test',
    permissions = ['read', 'write'],
    scopes = SCOPES,
    tenantId = DEFAULT_TENANT,
  } = options;
  const rawKey = `test-${Buffer.from(random.bytes(24)).toString('hex')}`;
  if (kernel.has(KeyRegistry)) {
    const actor = nodePrincipal(kernel.get(NodeSelf).names);
    const registration = { rawKey, entityUri, permissions, allowedScopes: scopes };
    const tenants = tenantId !== DEFAULT_TENANT && kernel.has(Tenants) ? kernel.get(Tenants) : undefined;
    // The first key of a tenant creates the tenant.
    if (tenants !== undefined && !(await isKnown(tenants, actor, tenantId))) {
      await tenants.create(actor, { id: tenantId, firstKey: registration });
    } else {
      await kernel.get(KeyRegistry).register(actor, { ...registration, tenantId });
    }
  } else {
    keyRing.add(rawKey, { entityUri, permissions: new Set(permissions), allowedScopes: new Set(scopes), tenantId });
  }
  return rawKey;
};

const isKnown = (tenants: Tenants, actor: Principal, tenantId: string): Promise<boolean> =>
  tenants.get(actor, tenantId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'lookup') return false;
      throw error;
    },
  );
