import { dirname, join, resolve } from 'node:path';
import { ADAPTER_API, defineStore, FactStore } from '../../ports/ports.ts';
import { hasContent, hasFile } from './has-file.ts';
import { type SqliteSettings, sqliteSettings, writerFor } from './sqlite-settings.ts';

/** The adapter for the embedded store, one file on a local disk. It imports the engine when the store is opened. */
export const sqliteAdapter = defineStore<SqliteSettings>({
  port: FactStore,
  name: 'sqlite',
  adapterApi: ADAPTER_API,
  takesSeal: true,
  settings: sqliteSettings,
  create: async ({ path, writer }, { cacheBytes, seal }) => {
    const { createSqliteStore } = await import('./create-sqlite-store.ts');
    return createSqliteStore({ path, cacheBytes, writer: writerFor(writer), watchNesting: false, seal });
  },
  place: ({ path }) => ({ location: path, fullLocation: resolve(path), dataFolder: dirname(resolve(path)) }),
  exists: ({ path }) => hasContent(path),
  restore: async ({ path }, request) => {
    const { restoreFile } = await import('./restore-file.ts');
    return restoreFile(path, request);
  },
  assemble: async (request) => {
    const { assembleFile } = await import('./assemble-file.ts');
    return assembleFile(request);
  },
  requireUnused: async ({ path }) => {
    if (!hasFile(path)) return;
    const { requireUnused } = await import('./restore-file.ts');
    requireUnused(resolve(path));
  },
  withSpare: (settings, folder, work) => work({ ...settings, path: join(folder, 'svc.db') }),
  size: async ({ path }) => {
    const { sizeOfFile } = await import('./restore-file.ts');
    return sizeOfFile(path);
  },
  inspect: async ({ path }) => {
    // The first start will create the missing file.
    if (!hasFile(path)) return [];
    const { inspectFile } = await import('./inspect-file.ts');
    return inspectFile(path);
  },
});
