import type { NodeHandle, OpenNodeOptions } from '../adapters/cli/command-line-deps.ts';
import { TenantTransfer } from '../plugins/transfer/transfer-api.ts';
import type { FactStore, Listener } from '../ports/ports.ts';
import { administerKeys, administerTokens, rotateKeyOf } from './administer-node.ts';
import { createNode, openStore } from './create-node.ts';
import { createNodeKey } from './create-node-key.ts';
import { describeUnstarted } from './describe-unstarted.ts';
import { markStoreRestored } from './mark-store-restored.ts';
import { workerCount } from './node-settings.ts';
import type { NodeConfigInput } from './read-config-file.ts';
import { requireStore } from './require-store.ts';
import { storePlace } from './store-place.ts';

/** A node as the command line drives it. */
export const openNode = async (options: OpenNodeOptions): Promise<NodeHandle> => {
  const { configFile, env, serve, createsStore, worker } = options;
  // Without serving, somebody waits at a terminal for an answer, which a log of routine would bury.
  const overrides: NodeConfigInput = serve || env['SVC_LOG_LEVEL'] ? {} : { node: { logLevel: 'warn' } };
  const node = await createNode({ configFile, env, overrides, worker });
  const { kernel, config } = node;
  const open = (): Promise<FactStore> => openStore(config, node.log);
  const { location, dataFolder } = storePlace(config);
  let listener: Listener | undefined;
  return {
    start: async () => {
      if (!createsStore) await requireStore(config, open);
      if (serve) listener = await node.start();
      else await kernel.boot();
    },
    prepare: () => node.prepare(),
    stop: () => node.stop(),
    describe: (including) => describeUnstarted(options, node, including),
    url: () => listener?.url ?? null,
    keys: () => administerKeys(kernel),
    tokens: (tenantId) => administerTokens(kernel, tenantId),
    get rotateKey() {
      return rotateKeyOf(kernel);
    },
    transfer: () => kernel.get(TenantTransfer),
    createKey: async () => {
      await requireStore(config, open);
      return createNodeKey(kernel.settings);
    },
    markRestored: () => markStoreRestored(config, env, open),
    authRequired: config.node.authRequired,
    storeLocation: location,
    dataFolder,
    workers: workerCount(config.node),
    log: node.log,
  };
};
