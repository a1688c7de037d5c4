import type { Clock, FactStore, OwnedMigration } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import { planMigrations } from '../plugins/plan-migrations.ts';
import type { Assembly } from './assembly.ts';
import { createProgressLog } from './log-progress.ts';

/**
 * Applies the migrations that the store lacks. Records whether the store is new, which means that it had no migrations.
 */
export const migrateStore = async (
  node: Assembly,
  store: FactStore,
  migrations: readonly OwnedMigration[],
): Promise<void> => {
  const { log, adapters } = node.options;
  const end = logWait(log, adapters.clock);
  try {
    const applied = await store.migrate(migrations, { onProgress: createProgressLog(log, adapters.clock) });
    node.hasNewStore = applied.length === migrations.length;
  } finally {
    end();
  }
};

/** The interval of the warnings that migrations last, because one that waits for a lock reports no progress. */
export const LONG_MIGRATION_MS = 10_000;

/** Logs a warning at each interval, and returns the function that ends that. */
const logWait = (log: Logger, clock: Clock): (() => void) => {
  const startedMs = clock.monotonicMs();
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = clock.schedule(LONG_MIGRATION_MS, () => {
      const seconds = Math.round((clock.monotonicMs() - startedMs) / 1_000);
      log.warn('the migrations of the store are not done yet; another process may hold a lock on its tables', {
        seconds,
      });
      arm();
    });
  };
  arm();
  return () => cancel();
};

/** Returns all migrations that the program contains, also those of disabled plugins. */
export const knownMigrations = async ({ options, plugins }: Assembly): Promise<readonly OwnedMigration[]> => {
  const on = plugins.map(({ plugin }) => plugin);
  return planMigrations(options.coreMigrations, [...on, ...((await options.switchedOff?.()) ?? [])], []);
};
