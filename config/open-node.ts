import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type {
  KeyAdministration,
  NodeDescription,
  NodeHandle,
  OpenNodeOptions,
} from '../adapters/cli/command-line-deps.ts';
import { createPinoLogger } from '../adapters/log/pino-logger.ts';
import { summarisePlugin } from '../kernel/boot/describe-kernel.ts';
import type { Kernel } from '../kernel/create-kernel.ts';
import { NodeSelf } from '../kernel/identity/node-self.ts';
import { KeyRegistry } from '../plugins/keys/keys-api.ts';
import { DEFAULT_TENANT, type Listener, type Principal } from '../ports/ports.ts';
import { createNode } from './create-node.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';

/** A node as the command line drives it. */
export const openNode = async (options: OpenNodeOptions): Promise<NodeHandle> => {
  const { configFile, env, serve } = options;
  const { kernel, config, ...node } = await createNode({ configFile, env });
  const storeLocation = resolve(config.store.settings.path);
  let listener: Listener | undefined;
  return {
    start: async () => {
      if (serve) listener = await node.start();
      else await kernel.boot();
    },
    stop: () => node.stop(),
    describe: () => describeUnstarted(options, kernel.settings, config.disabled),
    url: () => listener?.url ?? null,
    keys: () => (kernel.has(KeyRegistry) ? administer(kernel) : undefined),
    authRequired: config.node.authRequired,
    storeLocation,
    dataFolder: dirname(storeLocation),
  };
};

/**
 * Only a booted node knows its routes, hooks and tables. So another one boots with the same configuration, silently and on a store
 * that is thrown away; the operator's own store is not opened.
 */
const describeUnstarted = async (
  { configFile, env }: OpenNodeOptions,
  settings: NodeDescription['settings'],
  disabled: readonly string[],
): Promise<NodeDescription> => {
  const folder = await mkdtemp(join(tmpdir(), 'describe-node-'));
  try {
    const scratch = await createNode({
      configFile,
      env,
      overrides: { adapters: { store: { path: join(folder, 'node.db') } } },
      adapters: { log: createPinoLogger({ level: 'silent' }) },
    });
    try {
      const { plugins, ...rest } = await scratch.describe();
      const off = await Promise.all(disabled.flatMap((name) => PLUGIN_CATALOG[name]?.() ?? []));
      const described = [
        ...plugins.map((plugin) => ({ ...plugin, enabled: true })),
        ...off.map((plugin) => ({ ...summarisePlugin(plugin), enabled: false })),
      ];
      return { ...rest, settings, plugins: described };
    } finally {
      await scratch.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const administer = (kernel: Kernel): KeyAdministration => {
  const registry = kernel.get(KeyRegistry);
  const node = nodeItself(kernel);
  return {
    count: () => registry.count(),
    register: ({ expiresAt, ...key }) => registry.register(expiresAt === undefined ? key : { ...key, expiresAt }, node),
    list: () => registry.list(),
    revoke: (id) => registry.revoke(id, node),
  };
};

/** Whoever can open the store may do anything to it; the registry wants to know on whose behalf all the same. */
const nodeItself = (kernel: Kernel): Principal => ({
  kind: 'node',
  entityUri: kernel.get(NodeSelf).names.systemSource,
  permissions: new Set(),
  allowedScopes: new Set(),
  tenantId: DEFAULT_TENANT,
  keyId: null,
  oidcSub: null,
});
