import type { FactStore, WriteTransaction } from '../../ports/ports.ts';

type Where = Parameters<WriteTransaction['select']>[1];

/** A store that counts the combinations of values which `select` looks up in its transactions. */
export interface WatchedSelects {
  wrap(store: FactStore): FactStore;
  /** The highest count of one call: the product of the lengths of its lists. */
  readonly mostCombinations: number;
}

export const watchSelects = (): WatchedSelects => {
  let mostCombinations = 0;
  const watched = (transaction: WriteTransaction): WriteTransaction =>
    replaceMember(transaction, 'select', (table, where, page) => {
      mostCombinations = Math.max(mostCombinations, combinationsIn(where));
      return transaction.select(table, where, page);
    });
  return {
    get mostCombinations() {
      return mostCombinations;
    },
    wrap: (store) =>
      replaceMember(store, 'write', (tenantId, work) =>
        store.write(tenantId, (transaction) => work(watched(transaction))),
      ),
  };
};

const combinationsIn = (where: Where): number =>
  Object.values(where).reduce<number>((product, value) => product * (Array.isArray(value) ? value.length : 1), 1);

/** Returns the target with another member in place of one of its own. */
export const replaceMember = <T extends object, K extends keyof T>(target: T, name: K, member: T[K]): T =>
  new Proxy(target, {
    get(_, asked) {
      if (asked === name) return member;
      const own: unknown = Reflect.get(target, asked);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
