import { existsSync } from 'node:fs';
import type { RestoredStore } from '../adapters/cli/command-line-deps.ts';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import type { Environment } from '../kernel/plugins/environment-value.ts';
import { DEFAULT_DRIFT_BOUND_MS, markRestored } from '../kernel/restore/mark-restored.ts';
import { type FactStore, ServiceError } from '../ports/ports.ts';
import type { StoreConfig } from './node-config.ts';

const BOUND_VARIABLE = 'SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S';

/** Marks a store as restored from a backup, without a node on it: nothing is migrated, and no plugin is asked. */
export const markStoreRestored = async (
  store: StoreConfig,
  env: Environment,
  open: () => FactStore,
): Promise<RestoredStore> => {
  const driftBoundMs = readDriftBound(env[BOUND_VARIABLE]);
  // Opening a file would create it.
  if (store.use === 'sqlite' && !existsSync(store.settings.path)) throw nothingThere();
  const opened = open();
  try {
    if (!(await opened.tables()).includes('node_clock')) throw nothingThere();
    const epoch = createSystemRandom().uuid();
    return await markRestored(opened, { nowMs: createSystemClock().nowMs(), driftBoundMs, epoch });
  } finally {
    await opened.close();
  }
};

const nothingThere = (): ServiceError =>
  new ServiceError('lookup', 'there is no store yet: nothing was restored', {
    hint: 'put the backup in its place first; the store is where the configuration says',
  });

/** Where the bound is switched off, the usual one is the best guess. */
const readDriftBound = (text: string | undefined): number => {
  if (text === undefined || text === '' || text === '0') return DEFAULT_DRIFT_BOUND_MS;
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1_000;
  throw new ServiceError('validation', `${BOUND_VARIABLE} is not a whole number of seconds`, {
    hint: 'set it as for the node, or leave it out',
  });
};
