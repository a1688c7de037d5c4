import { systemClockAdapter } from '../adapters/clock/system-clock-adapter.ts';
import {
  hashingAdapter,
  httpEmbedderAdapter,
  localModelAdapter,
  sentenceModelAdapter,
  wordsAdapter,
} from '../adapters/embedder/embedder-adapters.ts';
import { commandKeysAdapter, fileKeysAdapter } from '../adapters/keys/key-source-adapters.ts';
import { koaAdapter } from '../adapters/koa/koa-adapter.ts';
import { postgresAdapter } from '../adapters/postgres/postgres-adapter.ts';
import { sqliteAdapter } from '../adapters/sqlite/sqlite-adapter.ts';
import type {
  AuthorizerAdapter,
  ClockAdapter,
  EmbedderAdapter,
  KeySourceAdapter,
  StoreAdapter,
  TransportAdapter,
} from '../ports/ports.ts';
import { previousSettings } from './previous-variables.ts';

/** The adapters of the configuration, by the name that `use` gives them. */
export type Catalog<A> = Readonly<Record<string, A>>;

/** Choices of `adapters.store.use`. */
export const STORES: Catalog<StoreAdapter<unknown>> = { sqlite: sqliteAdapter, postgres: postgresAdapter };
/** Choices of `adapters.transport.use`. */
export const TRANSPORTS: Catalog<TransportAdapter<unknown>> = { koa: koaAdapter };
/** Choices of `adapters.embedder.use`. */
export const EMBEDDERS: Catalog<EmbedderAdapter<unknown>> = {
  words: wordsAdapter,
  hashing: hashingAdapter,
  http: httpEmbedderAdapter,
  'local-model': localModelAdapter,
  'sentence-model': sentenceModelAdapter,
};
/** Choices of `adapters.previousEmbedder.use`. The built-in embedder works again without any settings. */
export const PREVIOUS_EMBEDDERS: Catalog<EmbedderAdapter<unknown>> = Object.fromEntries(
  Object.entries(EMBEDDERS).map(([name, adapter]) => [
    name,
    adapter.settings === undefined ? adapter : { ...adapter, settings: previousSettings(adapter.settings) },
  ]),
);
/** Choices of `adapters.clock.use`. */
export const CLOCKS: Catalog<ClockAdapter<unknown>> = { system: systemClockAdapter };
/**
 * The built-in authorizers: none, because the plugins check credentials unless a third party's authorizer replaces
 * them.
 */
export const AUTHORIZERS: Catalog<AuthorizerAdapter<unknown>> = {};
/** Choices of `adapters.keySource.use`. Without one nothing is sealed. */
export const KEY_SOURCES: Catalog<KeySourceAdapter<unknown>> = { file: fileKeysAdapter, command: commandKeysAdapter };
