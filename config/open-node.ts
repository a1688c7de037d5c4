import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  KeyAdministration,
  NodeDescription,
  NodeHandle,
  OpenNodeOptions,
} from '../adapters/cli/command-line-deps.ts';
import { summarisePlugin } from '../kernel/boot/describe-kernel.ts';
import type { Kernel } from '../kernel/create-kernel.ts';
import { nodePrincipal } from '../kernel/identity/node-principal.ts';
import { NodeSelf } from '../kernel/identity/node-self.ts';
import { TenantTransfer } from '../kernel/transfer/tenant-transfer.ts';
import { KeyRegistry } from '../plugins/keys/keys-api.ts';
import type { Listener } from '../ports/ports.ts';
import { createNode, type Node } from './create-node.ts';
import { inspectStore } from './inspect-store.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';
import type { NodeConfigInput } from './read-config-file.ts';
import { dataFolder, storeLocation } from './store-place.ts';

/** A node as the command line drives it. */
export const openNode = async (options: OpenNodeOptions): Promise<NodeHandle> => {
  const { configFile, env, serve } = options;
  // Without serving, somebody waits at a terminal for an answer, which a log of routine would bury.
  const overrides: NodeConfigInput = serve || env['SVC_LOG_LEVEL'] ? {} : { node: { logLevel: 'warn' } };
  const node = await createNode({ configFile, env, overrides });
  const { kernel, config } = node;
  let listener: Listener | undefined;
  return {
    start: async () => {
      if (serve) listener = await node.start();
      else await kernel.boot();
    },
    stop: () => node.stop(),
    describe: (including) => describeUnstarted(options, node, including),
    inspectStore: () => inspectStore(config.store),
    url: () => listener?.url ?? null,
    keys: () => (kernel.has(KeyRegistry) ? administer(kernel) : undefined),
    transfer: () => kernel.get(TenantTransfer),
    authRequired: config.node.authRequired,
    storeLocation: storeLocation(config.store),
    dataFolder: dataFolder(config.store),
  };
};

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

const administer = (kernel: Kernel): KeyAdministration => {
  const registry = kernel.get(KeyRegistry);
  // Whoever can open the store may do anything to it; the registry wants to know on whose behalf all the same.
  const node = nodePrincipal(kernel.get(NodeSelf).names);
  return {
    count: () => registry.count(),
    register: ({ expiresAt, ...key }) => registry.register(expiresAt === undefined ? key : { ...key, expiresAt }, node),
    list: () => registry.list(),
    revoke: (id) => registry.revoke(id, node),
  };
};
