import { type FactStore, ServiceError, type Snapshot } from '../../../ports/ports.ts';

/** A simulated crash of a process, from the view of its store. */
export class Mortality {
  #callsLeft = Number.POSITIVE_INFINITY;
  #dead = false;
  readonly #onDeath: () => void;

  constructor(onDeath: () => void) {
    this.#onDeath = onDeath;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Crashes the process at the n-th store call from now, in the middle of its work. */
  dieAfter(calls: number): void {
    this.#callsLeft = calls;
  }

  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#onDeath();
  }

  /** Counts a call. After the crash every call throws, so that the engine rolls back. */
  call(): void {
    this.#callsLeft -= 1;
    if (this.#callsLeft <= 0) this.die();
    if (this.#dead) throw new ServiceError('unavailable', 'the process of this store has ended');
  }
}

/**
 * Wraps the store of a process that may crash at any call, before or after a commit, on a machine with its own clock.
 * After the crash the store reads, writes and commits nothing.
 */
export const createMortalStore = (inner: FactStore, mortality: Mortality, databaseMs: () => number): FactStore => {
  const seen = <T extends Snapshot>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          mortality.call();
          return name === 'databaseMs' ? Promise.resolve(databaseMs()) : member.apply(target, args);
        };
      },
    });
  return {
    read: async (work) => {
      mortality.call();
      return inner.read((snapshot) => work(seen(snapshot)));
    },
    write: async (tenantId, work) => {
      mortality.call();
      const result = await inner.write(tenantId, async (transaction) => {
        const outcome = await work(seen(transaction));
        mortality.call();
        return outcome;
      });
      mortality.call();
      return result;
    },
    removeTenant: async (tenantId, limit, record) => {
      mortality.call();
      const isLeft = await inner.removeTenant(tenantId, limit, async (transaction, removed) => {
        await record(seen(transaction), removed);
        mortality.call();
      });
      mortality.call();
      return isLeft;
    },
    table: (name) => {
      mortality.call();
      return inner.table(name);
    },
    insideWrite: () => inner.insideWrite?.() ?? false,
    onSignal: (topic, listener) => inner.onSignal(topic, () => mortality.dead || listener()),
    migrate: (migrations, options) => inner.migrate(migrations, options),
    ping: () => inner.ping(),
    tables: () => inner.tables(),
    scrub: () => inner.scrub(),
    close: () => inner.close(),
  };
};
