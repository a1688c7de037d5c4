import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeDescription, NodeHandle, OpenNodeOptions } from '../adapters/cli/command-line-deps.ts';
import { summarisePlugin } from '../kernel/boot/describe-kernel.ts';
import { TenantTransfer } from '../kernel/transfer/tenant-transfer.ts';
import type { FactStore, Listener } from '../ports/ports.ts';
import { administerKeys, administerTokens, rotateKeyOf } from './administer-node.ts';
import { createNode, loadStore, type Node } from './create-node.ts';
import { createNodeKey } from './create-node-key.ts';
import { inspectStore } from './inspect-store.ts';
import { markStoreRestored } from './mark-store-restored.ts';
import { MOST_WORKERS, type NodeSettings } from './node-settings.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';
import type { NodeConfigInput } from './read-config-file.ts';
import { requireStore } from './require-store.ts';
import { dataFolder, storeLocation } from './store-place.ts';

/** A node as the command line drives it. */
export const openNode = async (options: OpenNodeOptions): Promise<NodeHandle> => {
  const { configFile, env, serve, createsStore, worker } = options;
  // Without serving, somebody waits at a terminal for an answer, which a log of routine would bury.
  const overrides: NodeConfigInput = serve || env['SVC_LOG_LEVEL'] ? {} : { node: { logLevel: 'warn' } };
  const node = await createNode({ configFile, env, overrides, worker });
  const { kernel, config } = node;
  const create = await loadStore(config);
  const openStore = (): FactStore => create(node.log);
  let listener: Listener | undefined;
  return {
    start: async () => {
      if (!createsStore) await requireStore(config.store, openStore);
      if (serve) listener = await node.start();
      else await kernel.boot();
    },
    prepare: () => node.prepare(),
    stop: () => node.stop(),
    describe: (including) => describeUnstarted(options, node, including),
    inspectStore: () => inspectStore(config.store, workerCount(config.node)),
    url: () => listener?.url ?? null,
    keys: () => administerKeys(kernel),
    tokens: (tenantId) => administerTokens(kernel, tenantId),
    get rotateKey() {
      return rotateKeyOf(kernel);
    },
    transfer: () => kernel.get(TenantTransfer),
    createKey: async () => {
      await requireStore(config.store, openStore);
      return createNodeKey(kernel.settings);
    },
    markRestored: () => markStoreRestored(config.store, env, openStore),
    authRequired: config.node.authRequired,
    storeLocation: storeLocation(config.store),
    dataFolder: dataFolder(config.store),
    workers: workerCount(config.node),
    log: node.log,
  };
};

const workerCount = ({ workers }: NodeSettings): number =>
  workers === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : workers;

/**
 * Only a booted node knows its routes, hooks and tables. So another one boots with the same configuration, silently and on a store
 * that is thrown away; the operator's own store is neither created nor migrated.
 */
const describeUnstarted = async (
  { configFile, env }: OpenNodeOptions,
  { kernel, config }: Node,
  including?: string,
): Promise<NodeDescription> => {
  const folder = await mkdtemp(join(tmpdir(), 'describe-node-'));
  const borrowed = config.disabled.filter((name) => name === including);
  try {
    const scratch = await createNode({
      configFile,
      env,
      overrides: {
        node: { logLevel: 'silent' },
        adapters: { store: { use: 'sqlite', path: join(folder, 'node.db') } },
        plugins: Object.fromEntries(borrowed.map((name) => [name, true])),
      },
    });
    try {
      const { plugins, settings, ...rest } = await scratch.describe();
      const off = await Promise.all(config.disabled.flatMap((name) => PLUGIN_CATALOG[name]?.() ?? []));
      const on = plugins.filter(({ name }) => !borrowed.includes(name));
      return {
        ...rest,
        plugins: [
          ...on.map((plugin) => ({ ...plugin, enabled: true })),
          ...off.map((plugin) => ({ ...summarisePlugin(plugin), enabled: false })),
        ],
        // The operator's own values; those of the scratch node say where its own files are.
        settings: [
          ...kernel.settings,
          ...settings.filter(({ owner }) => borrowed.some((name) => owner === `plugins.${name}`)),
        ],
      };
    } finally {
      await scratch.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
