import type { FactStore, OwnedMigration } from '../../ports/ports.ts';
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
  const applied = await store.migrate(migrations, { onProgress: createProgressLog(log, adapters.clock) });
  node.hasNewStore = applied.length === migrations.length;
};

/** Returns all migrations that the program contains, also those of disabled plugins. */
export const knownMigrations = async ({ options, plugins }: Assembly): Promise<readonly OwnedMigration[]> => {
  const on = plugins.map(({ plugin }) => plugin);
  return planMigrations(options.coreMigrations, [...on, ...((await options.switchedOff?.()) ?? [])], []);
};
