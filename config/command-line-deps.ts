import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type {
  CommandLineDeps,
  KeyAdministration,
  NodeDescription,
  NodeHandle,
  OpenNodeOptions,
} from '../adapters/cli/command-line-deps.ts';
import { BootError } from '../kernel/boot/boot-problem.ts';
import { NodeSelf } from '../kernel/identity/node-self.ts';
import { requirementsOf } from '../kernel/plugins/order-plugins.ts';
import { KeyRegistry } from '../plugins/keys/keys-api.ts';
import { DEFAULT_TENANT, type Listener, PERMISSIONS, type Principal, SCOPES } from '../ports/ports.ts';
import { createNode, type Node } from './create-node.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';
import type { NodeConfigInput } from './read-config-file.ts';

/** Gives the command line what it drives: nodes, composed here and known to it only by its own interface. */
export const createCommandLineDeps = ({ env, stdin, stdout, stderr }: NodeJS.Process): CommandLineDeps => ({
  version: readVersion(),
  env,
  stdin,
  stdout,
  stderr,
  openNode,
  problemsOf: (error) => (error instanceof BootError ? error.problems : []),
});

const readVersion = (): string => {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
};

const openNode = async (options: OpenNodeOptions): Promise<NodeHandle> => {
  const { configFile, env, serve } = options;
  // Somebody waits at the terminal for an answer, and a log of routine would hide it.
  const overrides: NodeConfigInput = serve || env['SVC_LOG_LEVEL'] ? {} : { node: { logLevel: 'warn' } };
  const node = await createNode({ configFile, env, overrides });
  let listener: Listener | undefined;
  return {
    start: async () => {
      if (serve) listener = await node.start();
      else await node.kernel.boot();
    },
    stop: () => node.stop(),
    describe: (including) => describe(options, node, including),
    url: () => listener?.url ?? null,
    keys: () => (node.kernel.has(KeyRegistry) ? keyAdministration(node) : undefined),
    authRequired: node.config.node.authRequired,
    storeLocation: node.config.store.settings.path,
    dataFolder: dirname(resolve(node.config.store.settings.path)),
  };
};

const keyAdministration = ({ kernel }: Node): KeyAdministration => {
  const registry = kernel.get(KeyRegistry);
  // Whoever can run a command on the store could write to its file as well, so the registry takes it for the node itself.
  const operator: Principal = {
    kind: 'node',
    entityUri: kernel.get(NodeSelf).names.systemSource,
    permissions: new Set(PERMISSIONS),
    allowedScopes: new Set(SCOPES),
    tenantId: DEFAULT_TENANT,
    keyId: null,
    oidcSub: null,
  };
  return {
    count: () => registry.count(),
    list: () => registry.list(),
    register: ({ expiresAt, ...key }) => registry.register({ ...key, expiresAt: expiresAt ?? null }, operator),
    revoke: (id) => registry.revoke(id, operator),
  };
};

/**
 * Boots a twin of the node on a store of its own, so that looking at a node neither creates nor migrates anything. A plugin that is
 * switched off is described as if it were on when it is asked for by name.
 */
const describe = async (
  { configFile, env }: OpenNodeOptions,
  { config }: Node,
  including?: string,
): Promise<NodeDescription> => {
  const folder = await mkdtemp(join(tmpdir(), 'fact-memory-node-'));
  const disabled = config.disabled.filter((name) => name !== including);
  try {
    const twin = await createNode({
      configFile,
      env,
      overrides: {
        node: { logLevel: 'silent' },
        adapters: { store: { path: join(folder, 'twin.db') } },
        ...(config.disabled.length > disabled.length ? { plugins: { [including ?? '']: true } } : {}),
      },
    });
    try {
      const { plugins, ...rest } = await twin.describe();
      const booted = plugins.map((plugin) => ({ ...plugin, enabled: !config.disabled.includes(plugin.name) }));
      return { plugins: [...booted, ...(await Promise.all(disabled.map(describeDisabled)))], ...rest };
    } finally {
      await twin.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const describeDisabled = async (name: string): Promise<NodeDescription['plugins'][number]> => {
  const plugin = await PLUGIN_CATALOG[name]?.();
  return {
    name,
    enabled: false,
    version: plugin?.version ?? '',
    summary: plugin?.summary ?? '',
    requires:
      plugin === undefined ? [] : requirementsOf(plugin).map(({ ref, optional }) => (optional ? `${ref.id}?` : ref.id)),
    provides: (plugin?.provides ?? []).map(({ id }) => id),
  };
};
