import type { Logger } from '../kernel/log/logger.ts';
import type { Schema } from '../kernel/plugins/config-schema.ts';
import type { FactStore, Transport } from '../ports/ports.ts';
import { koaSettings, postgresSettings, sqliteSettings } from './node-settings.ts';

/** One way to fill a port: its settings, and what makes it. Its module is imported only when it is chosen. */
export interface AdapterEntry<T, S> {
  readonly settings: Schema<S>;
  load(): Promise<(settings: S, parts: AdapterParts) => T>;
}

export interface AdapterParts {
  readonly log: Logger;
}

const entry = <T, S>(adapter: AdapterEntry<T, S>): AdapterEntry<T, S> => adapter;

/** What `adapters.store.use` may say. */
export const STORES = {
  sqlite: entry({
    settings: sqliteSettings,
    load: async () => {
      const { createSqliteStore } = await import('../adapters/sqlite/create-sqlite-store.ts');
      return ({ path }): FactStore => createSqliteStore({ path, watchNesting: false });
    },
  }),
  postgres: entry({
    settings: postgresSettings,
    load: async () => {
      const { createPostgresStore } = await import('../adapters/postgres/create-postgres-store.ts');
      return (settings): FactStore => createPostgresStore({ ...settings, watchNesting: false });
    },
  }),
} as const;

/** What `adapters.transport.use` may say. */
export const TRANSPORTS = {
  koa: entry({
    settings: koaSettings,
    load: async () => {
      const { createKoaTransport } = await import('../adapters/koa/koa-transport.ts');
      return (settings, { log }): Transport =>
        createKoaTransport({ ...settings, report: (message, error) => log.warn(message, { error }) });
    },
  }),
} as const;
