import type { RestoredStore } from '../adapters/cli/command-line-deps.ts';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { CORE_MIGRATIONS } from '../adapters/sql/core-migrations.ts';
import { type FactStore, ServiceError } from '../ports/ports.ts';
import { DEFAULT_DRIFT_BOUND_MS, markRestored } from './mark-restored.ts';
import type { NodeConfig } from './node-config.ts';
import { requireStore } from './require-store.ts';

/** Returns the milliseconds by which stamps may be ahead of physical time, from the configuration. */
const driftBoundOf = ({ node }: Pick<NodeConfig, 'node'>): number =>
  // The default is the best estimate when the operator has disabled the limit.
  node.maxStampLeadS === 0 ? DEFAULT_DRIFT_BOUND_MS : node.maxStampLeadS * 1_000;

export const markOpenStore = (store: FactStore, config: Pick<NodeConfig, 'node'>): Promise<RestoredStore> =>
  markRestored(store, {
    nowMs: createSystemClock().nowMs(),
    driftBoundMs: driftBoundOf(config),
    epoch: createSystemRandom().uuid(),
  });

/**
 * Marks a store as restored from a backup. Migrates nothing and runs no plugin. No node may use the store meanwhile,
 * because it would continue with its former clock and epoch.
 */
export const markStoreRestored = async (
  config: Pick<NodeConfig, 'store' | 'node'>,
  open: () => Promise<FactStore>,
): Promise<RestoredStore> => {
  const { adapter, settings } = config.store;
  // Comes first, because a session of this command would count as a node that uses the store.
  await adapter.requireUnused?.(settings);
  await requireStore(config, open);
  const opened = await open();
  try {
    await requireTables(opened);
    return await markOpenStore(opened, config);
  } finally {
    await opened.close();
  }
};

/** Requires the current tables, from which the clock is read. */
const requireTables = async (store: FactStore): Promise<void> => {
  if ((await store.migrate(CORE_MIGRATIONS, { isTrial: true })).length === 0) return;
  throw new ServiceError('unavailable', 'an older version wrote this backup, and its tables were not upgraded yet', {
    hint: 'run "fact-memory-node init", which upgrades the store and serves nothing, then "fact-memory-node restored" again, then "fact-memory-node start"',
  });
};
