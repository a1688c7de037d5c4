import type { FactStore, Snapshot } from '../../ports/ports.ts';

/** Wraps a store with a database clock that a test controls through `databaseMs`. */
export const createClockedStore = (store: FactStore, databaseMs: () => number): FactStore => {
  const clocked = <T extends Snapshot>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return name === 'databaseMs' ? () => Promise.resolve(databaseMs()) : member.bind(target);
      },
    });
  return {
    read: (work) => store.read((snapshot) => work(clocked(snapshot))),
    write: (tenantId, work) => store.write(tenantId, (transaction) => work(clocked(transaction))),
    removeTenant: (tenantId, limit, record) =>
      store.removeTenant(tenantId, limit, (transaction, removed) => record(clocked(transaction), removed)),
    table: (name) => store.table(name),
    insideWrite: () => store.insideWrite?.() ?? false,
    onSignal: (topic, listener) => store.onSignal(topic, listener),
    migrate: (migrations, options) => store.migrate(migrations, options),
    ping: () => store.ping(),
    scrub: () => store.scrub(),
    tables: () => store.tables(),
    close: () => store.close(),
  };
};
