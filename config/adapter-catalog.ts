import type { Logger } from '../kernel/log/logger.ts';
import type { Schema } from '../kernel/plugins/config-schema.ts';
import type { Clock, Embedder, FactStore, Transport } from '../ports/ports.ts';
import { hashingEmbedderSettings, httpEmbedderSettings, localModelSettings } from './embedder-settings.ts';
import { koaSettings, postgresSettings, sqliteSettings } from './node-settings.ts';

/** One way to fill a port: its settings, and what makes it. Its module is imported only when it is chosen. */
export interface AdapterEntry<T, S, P = AdapterParts> {
  readonly settings: Schema<S>;
  load(): Promise<(settings: S, parts: P) => T>;
}

export interface AdapterParts {
  readonly log: Logger;
}

/** What an embedder may be made from. */
export interface EmbedderParts {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly fraction: () => number;
}

const entry = <T, S, P = AdapterParts>(adapter: AdapterEntry<T, S, P>): AdapterEntry<T, S, P> => adapter;

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

/** What `adapters.embedder.use` may say. */
export const EMBEDDERS = {
  hashing: entry({
    settings: hashingEmbedderSettings,
    load: async () => {
      const { chanceFloor, createHashingEmbedder } = await import('../adapters/embedder/hashing-embedder.ts');
      const { createTruncatingEmbedder } = await import('../adapters/embedder/truncating-embedder.ts');
      return ({ dimensions }, _parts: EmbedderParts): Embedder => {
        const whole = createHashingEmbedder();
        if (dimensions === whole.dimensions) return whole;
        return createTruncatingEmbedder(whole, { dimensions, similarityFloor: chanceFloor(dimensions) });
      };
    },
  }),
  http: entry({
    settings: httpEmbedderSettings,
    load: async () => {
      const { createHttpEmbedder } = await import('../adapters/embedder/http-embedder.ts');
      return (settings, parts: EmbedderParts): Embedder => createHttpEmbedder(settings, parts);
    },
  }),
  'local-model': entry({
    settings: localModelSettings,
    load: async () => {
      const { createLocalModelEmbedder } = await import('../adapters/embedder/local-model-embedder.ts');
      return (settings, _parts: EmbedderParts): Embedder => createLocalModelEmbedder(settings);
    },
  }),
} as const;
