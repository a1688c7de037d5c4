import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { API_KEYS_TABLE } from '../../plugins/keys/keys-migrations.ts';
import type { FactStore, Snapshot } from '../../ports/ports.ts';

/** Numbers of store calls, and of the returned rows. */
export interface StoreCounts {
  readonly statements: number;
  readonly rows: number;
  /** The number of characters in those rows, values of facts included. */
  readonly characters: number;
}

export interface StoreCounter {
  /** Counts the store calls of the work itself, and ignores those of background tasks. */
  during(work: () => Promise<unknown>): Promise<StoreCounts>;
  /** Returns the store, wrapped so that its calls are counted. */
  count(store: FactStore): FactStore;
}

const NOTHING: StoreCounts = { statements: 0, rows: 0, characters: 0 };

/**
 * Counts every store call that reads or writes, in all snapshots and transactions, and every query of a builder. Leaves
 * out API keys: on PostgreSQL the signal of an added key arrives late, and makes some request read its key again.
 */
export const createStoreCounter = (): StoreCounter => {
  const running = new AsyncLocalStorage<{ counts: StoreCounts }>();
  const add = (result: unknown): void => {
    const tally = running.getStore();
    if (tally === undefined) return;
    const { counts } = tally;
    const rows = rowsIn(result);
    tally.counts = {
      statements: counts.statements + 1,
      rows: counts.rows + rows.length,
      characters: counts.characters + rows.reduce((sum: number, row) => sum + charactersIn(row), 0),
    };
  };
  const countBuilder = (builder: Knex.QueryBuilder): Knex.QueryBuilder => builder.on('query-response', add);
  const counted = <T extends Snapshot>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const result: unknown = member.apply(target, args);
          if (args[0] === API_KEYS_TABLE) return result;
          if (name === 'table') return countBuilder(result as Knex.QueryBuilder);
          if (!(result instanceof Promise)) return result;
          return result.then((value: unknown) => {
            add(value);
            return value;
          });
        };
      },
    });
  return {
    during: async (work) => {
      const tally = { counts: NOTHING };
      await running.run(tally, work);
      return tally.counts;
    },
    count: (store) => ({
      read: (work) => store.read((snapshot) => work(counted(snapshot))),
      write: (tenantId, work) => store.write(tenantId, (transaction) => work(counted(transaction))),
      removeTenant: (tenantId, limit, record) =>
        store.removeTenant(tenantId, limit, (transaction, removed) => record(counted(transaction), removed)),
      table: (name) => (name === API_KEYS_TABLE ? store.table(name) : countBuilder(store.table(name))),
      insideWrite: () => store.insideWrite?.() ?? false,
      onSignal: (topic, listener) => store.onSignal(topic, listener),
      migrate: (migrations, options) => store.migrate(migrations, options),
      ping: () => store.ping(),
      tables: () => store.tables(),
      scrub: () => store.scrub(),
      close: () => store.close(),
    }),
  };
};

/** Returns the rows in a result, which may be a list of rows, one row or a single value. */
const rowsIn = (result: unknown): readonly unknown[] => {
  if (result === undefined || result === null) return [];
  return Array.isArray(result) ? result.flatMap((one: unknown) => (Array.isArray(one) ? one : [one])) : [result];
};

const charactersIn = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + charactersIn(member), 0);
};
