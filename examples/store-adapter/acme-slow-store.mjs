import { sqliteAdapter } from 'fact-memory-node/adapters/sqlite';
import { ADAPTER_API, defineStore, FactStore, schema } from 'fact-memory-node/ports';

/** The settings of the embedded store, with one more. */
const settings = schema({
  ...sqliteAdapter.settings.json,
  required: [...sqliteAdapter.settings.json.required, 'slowMs'],
  properties: {
    ...sqliteAdapter.settings.json.properties,
    slowMs: { type: 'integer', minimum: 0, default: 100, env: 'ACME_SLOW_MS', description: 'a write is slow from here on' },
  },
});

/** A store adapter that wraps the embedded store and logs a warning for every slow write. */
export const acmeSlowStore = defineStore({
  port: FactStore,
  name: 'acme-slow-store',
  adapterApi: ADAPTER_API,
  settings,
  async create({ path, slowMs }, parts) {
    const store = await sqliteAdapter.create({ path }, parts);
    return wrap(store, { ...parts, slowMs });
  },
  place: ({ path }) => sqliteAdapter.place({ path }),
  exists: ({ path }) => sqliteAdapter.exists({ path }),
});

/** Passes everything through to the inner store, except writes. */
const wrap = (store, { clock, report, slowMs }) => ({
  ...forwarded(store),
  async write(tenantId, work) {
    const fromMs = clock.monotonicMs();
    try {
      return await store.write(tenantId, work);
    } finally {
      const tookMs = clock.monotonicMs() - fromMs;
      if (tookMs >= slowMs) report(`a write took ${Math.round(tookMs)} ms`);
    }
  },
});

/** Returns the methods of an object, bound to it, because spreading does not copy methods of a class. */
const forwarded = (store) => {
  const names = new Set();
  for (let part = store; part !== Object.prototype; part = Object.getPrototypeOf(part)) {
    for (const name of Object.getOwnPropertyNames(part)) names.add(name);
  }
  names.delete('constructor');
  return Object.fromEntries(
    [...names].filter((name) => typeof store[name] === 'function').map((name) => [name, store[name].bind(store)]),
  );
};
