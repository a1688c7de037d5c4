import { resolve } from 'node:path';
import { ADAPTER_API, defineStore, FactStore } from '../../ports/ports.ts';
import { type PostgresSettings, postgresSettings } from './postgres-settings.ts';
import { shownAddress } from './shown-address.ts';

/**
 * The adapter for a PostgreSQL database, which several processes may share. It imports the driver when the store is
 * opened.
 */
export const postgresAdapter = defineStore<PostgresSettings>({
  port: FactStore,
  name: 'postgres',
  adapterApi: ADAPTER_API,
  takesSeal: true,
  settings: postgresSettings,
  create: async (settings, { processes, cacheBytes, report, seal }) => {
    const { createPostgresStore } = await import('./create-postgres-store.ts');
    await refuseAnotherDatabase(settings);
    return createPostgresStore({ ...settings, cacheBytes, processes, report, watchNesting: false, seal });
  },
  place: ({ url, dataFolder }) => ({ location: shownAddress(url), dataFolder: resolve(dataFolder) }),
  restore: async ({ url, directUrl = url }, request) => {
    await refuseAnotherDatabase({ url, directUrl });
    const { restoreRows } = await import('./restore-rows.ts');
    return restoreRows(directUrl, request);
  },
  requireUnused: async ({ url, directUrl = url }) => {
    await refuseAnotherDatabase({ url, directUrl });
    const { requireUnusedDatabase } = await import('./restore-rows.ts');
    return requireUnusedDatabase(directUrl);
  },
  withSpare: async (settings, dataFolder, work) => {
    const { onSpareDatabase } = await import('./spare-database.ts');
    return onSpareDatabase(settings.directUrl ?? settings.url, (url) =>
      work({ ...settings, url, directUrl: url, replicaUrls: [], dataFolder }),
    );
  },
  size: async ({ url, directUrl = url }) => {
    const { sizeOfTables } = await import('./restore-rows.ts');
    return sizeOfTables(directUrl);
  },
  inspect: async ({ url, directUrl, replicaUrls = [], poolSize }, { processes }) => {
    const { inspectDatabase } = await import('./inspect-database.ts');
    const { inspectReplicas } = await import('./inspect-replicas.ts');
    const problems = await inspectDatabase({ url, directUrl }, { poolSize, processes });
    return problems.length > 0 ? problems : inspectReplicas(directUrl ?? url, replicaUrls);
  },
});

const refuseAnotherDatabase = async ({
  url,
  directUrl,
}: Pick<PostgresSettings, 'url' | 'directUrl'>): Promise<void> => {
  if (directUrl === undefined || directUrl === url) return;
  const { requireSameDatabase } = await import('./same-database.ts');
  await requireSameDatabase({ url, directUrl });
};
