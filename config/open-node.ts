import { join } from 'node:path';
import type { NodeHandle, OpenNodeOptions } from '../adapters/cli/command-line-deps.ts';
import { readKeyFile, replaceKeyFile } from '../adapters/sealed/content-key-file.ts';
import { createFileSeal } from '../adapters/sealed/file-seal.ts';
import type { Kernel } from '../kernel/boot/kernel.ts';
import type { Requires, Resolved } from '../kernel/container/requires.ts';
import { givenText } from '../kernel/plugins/environment-value.ts';
import type { Settings } from '../kernel/plugins/plugin-config.ts';
import { type FactStore, type Listener, ServiceError } from '../ports/ports.ts';
import { CONTENT_KEYS, contentKeyPath } from './content-key-place.ts';
import { createNode } from './create-node.ts';
import { describeUnstarted } from './describe-unstarted.ts';
import { createEncryptionWork } from './encryption-work.ts';
import { markStoreRestored } from './mark-store-restored.ts';
import { createOfflineStore } from './offline-store.ts';
import { openStore } from './open-store.ts';
import { suggestProvider } from './plugin-catalog.ts';
import type { NodeConfigInput } from './read-config-file.ts';
import { requireStore } from './require-store.ts';

/** Composes a node for the command line. */
export const openNode = async (options: OpenNodeOptions, spare?: SpareSettings): Promise<NodeHandle> => {
  const { configFile, env, serve, createsStore, worker } = options;
  // Reduces the log of a command that does not serve, because routine lines would hide its answer.
  const quiet: NodeConfigInput = serve || givenText(env, 'SVC_LOG_LEVEL') ? {} : { node: { logLevel: 'warn' } };
  // An operator would read a warning about a throw-away store as one about the store of the node.
  const overrides: NodeConfigInput =
    spare === undefined
      ? quiet
      : { node: { logLevel: 'error', encryptionKeyStore: spare.keyStore }, adapters: { store: spare.store } };
  // The files of plugins of a throw-away store may not lie anywhere else.
  const usesOnlyDataFolder = spare !== undefined;
  const node = await createNode({ configFile, env, overrides, worker, usesOnlyDataFolder, logsForPeople: !serve });
  const { kernel, config } = node;
  const open = async (): Promise<FactStore> => openStore(config, node.log, await node.seal.openExisting());
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
    hasNewStore: () => kernel.hasNewStore(),
    greet: (isDue) => kernel.greet(isDue),
    use: (requires) => resolve(kernel, requires),
    configOf: (plugin) => kernel.configOf(plugin),
    requireStore: () => requireStore(config, open),
    markRestored: () => markStoreRestored(config, open),
    offlineStore: createOfflineStore(node, open),
    fileSeal: createFileSeal(node.keySource),
    encryption: createEncryptionWork(node, () => openStore(config, node.log)),
    withSpare: async (folder, work) => {
      const { adapter, settings } = config.store;
      if (adapter.withSpare === undefined) throw cannotSpare();
      const keyStore = join(folder, CONTENT_KEYS);
      // A copy, because a node on a throw-away store may repeat an erasure, and destroys no key of the store in use.
      await copyKeys(contentKeyPath(config), keyStore);
      return adapter.withSpare(settings, folder, (given) =>
        work(() => openNode(options, { store: given as Settings, keyStore })),
      );
    },
    objects: node.objects,
    settings: node.settings,
    log: node.log,
  };
};

interface SpareSettings {
  readonly store: Settings;
  /** The file of content keys of the throw-away store. */
  readonly keyStore: string;
}

const copyKeys = async (from: string, to: string): Promise<void> => {
  const text = await readKeyFile(from);
  if (text !== undefined) await replaceKeyFile(to, text);
};

const cannotSpare = (): ServiceError =>
  new ServiceError('unavailable', 'the adapter of this store makes no throw-away store', {
    hint: 'restore the backup on another machine, and run "fact-memory-node verify" there',
  });

const resolve = <R extends Requires>(kernel: Kernel, requires: R): Resolved<R> =>
  Object.fromEntries(
    Object.entries(requires).map(([key, need]) => {
      const ref = 'optional' in need ? need.optional : need;
      if (kernel.has(ref)) return [key, kernel.get(ref)];
      if ('optional' in need) return [key, undefined];
      const provider = suggestProvider(ref.id);
      throw new ServiceError('unavailable', `the command needs ${ref.id}, which no plugin provides`, {
        hint: provider === undefined ? 'enable a plugin that provides it' : `enable '${provider}'`,
      });
    }),
  ) as Resolved<R>;
