import { systemClockAdapter } from '../adapters/clock/system-clock-adapter.ts';
import {
  hashingAdapter,
  httpEmbedderAdapter,
  localModelAdapter,
  sentenceModelAdapter,
  wordsAdapter,
} from '../adapters/embedder/embedder-adapters.ts';
import { koaAdapter } from '../adapters/koa/koa-adapter.ts';
import { postgresAdapter } from '../adapters/postgres/postgres-adapter.ts';
import { sqliteAdapter } from '../adapters/sqlite/sqlite-adapter.ts';
import type {
  AuthorizerAdapter,
  ClockAdapter,
  EmbedderAdapter,
  StoreAdapter,
  TransportAdapter,
} from '../ports/ports.ts';
import { previousSettings } from './previous-variables.ts';

/** The adapters of the configuration, by the name that `use` gives them. */
export type Catalog<A> = Readonly<Record<string, A>>;

/** What `adapters.store.use` may say. */
export const STORES: Catalog<StoreAdapter<unknown>> = { sqlite: sqliteAdapter, postgres: postgresAdapter };
/** What `adapters.transport.use` may say. */
export const TRANSPORTS: Catalog<TransportAdapter<unknown>> = { koa: koaAdapter };
/** What `adapters.embedder.use` may say. */
export const EMBEDDERS: Catalog<EmbedderAdapter<unknown>> = {
  words: wordsAdapter,
  hashing: hashingAdapter,
  http: httpEmbedderAdapter,
  'local-model': localModelAdapter,
  'sentence-model': sentenceModelAdapter,
};
/** What `adapters.previousEmbedder.use` may say. The built-in embedder needs no settings to be asked again. */
export const PREVIOUS_EMBEDDERS: Catalog<EmbedderAdapter<unknown>> = Object.fromEntries(
  Object.entries(EMBEDDERS).map(([name, adapter]) => [
    name,
    adapter.settings === undefined ? adapter : { ...adapter, settings: previousSettings(adapter.settings) },
  ]),
);
/** What `adapters.clock.use` may say. */
export const CLOCKS: Catalog<ClockAdapter<unknown>> = { system: systemClockAdapter };
/** Without one from elsewhere, what the plugins provide judges credentials. */
export const AUTHORIZERS: Catalog<AuthorizerAdapter<unknown>> = {};
