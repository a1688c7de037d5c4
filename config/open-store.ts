import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import type { Kernel } from '../kernel/boot/kernel.ts';
import type { Random } from '../kernel/crypto/random.ts';
import type { Logger } from '../kernel/log/logger.ts';
import {
  type AdapterParts,
  type Clock,
  type ContentSeal,
  type FactStore,
  ServiceError,
  type StoreParts,
} from '../ports/ports.ts';
import { cacheMemoryOf } from './cache-memory.ts';
import type { NodeConfig } from './node-config.ts';
import type { NodeSeal } from './node-seal.ts';
import { workerCount } from './node-settings.ts';
import { refuseLostStore } from './refuse-lost-store.ts';

export const partsOf = (log: Logger, clock: Clock, random: Random): AdapterParts => ({
  clock,
  fraction: () => random.fraction(),
  report: (message, error) => log.warn(message, { error }),
});

/** Opens the store of a node that starts, or makes it. */
export const createKnownStore = async (
  config: NodeConfig,
  settings: Kernel['settings'],
  parts: AdapterParts,
  seal: NodeSeal,
): Promise<FactStore> => {
  refuseLostStore(config, settings);
  const { node } = config;
  const use = { processes: workerCount(node), cacheBytes: cacheMemoryOf(node).ofStore };
  return create(config, { ...parts, ...use }, await seal.open());
};

/** The memory in bytes for caches of a command, which reads most facts once. */
const CACHE_BYTES_OFFLINE = 16 * 2 ** 20;

/** Opens the configured store without a running node. Without a seal, sealed contents stay as they lie. */
export const openStore = async (
  config: Pick<NodeConfig, 'store'>,
  log: Logger,
  seal?: ContentSeal,
): Promise<FactStore> =>
  create(
    config,
    { ...partsOf(log, createSystemClock(), createSystemRandom()), processes: 1, cacheBytes: CACHE_BYTES_OFFLINE },
    seal,
  );

const create = (
  { store: { adapter, settings } }: Pick<NodeConfig, 'store'>,
  parts: AdapterParts & Pick<StoreParts, 'processes' | 'cacheBytes'>,
  seal: ContentSeal | undefined,
): FactStore | Promise<FactStore> => {
  if (seal !== undefined && adapter.takesSeal !== true) throw takesNone(adapter.name);
  return adapter.create(settings, { ...parts, seal });
};

const takesNone = (name: string): ServiceError =>
  new ServiceError(
    'unavailable',
    `the store adapter ${name} cannot seal what it stores, and there is an encryption key`,
    {
      hint: 'use the SQLite or the PostgreSQL store, or leave out SVC_ENCRYPTION_KEY_FILE and SVC_ENCRYPTION_KEY_COMMAND',
    },
  );
