import { resolve } from 'node:path';
import { ADAPTER_API, defineStore, FactStore } from '../../ports/ports.ts';
import { hostAddresses } from './host-addresses.ts';
import { type PostgresSettings, postgresSettings } from './postgres-settings.ts';

/**
 * The adapter for a PostgreSQL database, which several processes may share. It imports the driver when the store is
 * opened.
 */
export const postgresAdapter = defineStore<PostgresSettings>({
  port: FactStore,
  name: 'postgres',
  adapterApi: ADAPTER_API,
  settings: postgresSettings,
  create: async (settings, { processes }) => {
    const { createPostgresStore } = await import('./create-postgres-store.ts');
    await refuseAnotherDatabase(settings);
    return createPostgresStore({ ...settings, processes, watchNesting: false });
  },
  place: ({ url, dataFolder }) => ({ location: withoutSecrets(url), dataFolder: resolve(dataFolder) }),
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
  size: async ({ url, directUrl = url }) => {
    const { sizeOfTables } = await import('./restore-rows.ts');
    return sizeOfTables(directUrl);
  },
  inspect: async ({ url, directUrl, poolSize }, { processes }) => {
    const { inspectDatabase } = await import('./inspect-database.ts');
    return inspectDatabase({ url, directUrl }, { poolSize, processes });
  },
});

/** Looks only where there are two addresses. */
const refuseAnotherDatabase = async ({
  url,
  directUrl,
}: Pick<PostgresSettings, 'url' | 'directUrl'>): Promise<void> => {
  if (directUrl === undefined || directUrl === url) return;
  const { requireSameDatabase } = await import('./same-database.ts');
  await requireSameDatabase({ url, directUrl });
};

const withoutSecrets = (url: string): string => {
  try {
    const [first, ...others] = hostAddresses(url).map((address) => new URL(address));
    if (first === undefined) return 'PostgreSQL';
    return `${first.protocol}//${[first, ...others].map(({ host }) => host).join()}${first.pathname}`;
  } catch {
    return 'PostgreSQL';
  }
};
