import { toServiceError } from '../../adapters/sqlite/sqlite-errors.ts';
import { type FactStore, ServiceError, type Snapshot, type WriteTransaction } from '../../ports/ports.ts';

/** The kinds of store failure: a lock, a failing disk and a full disk. */
export const FAULT_KINDS = ['busy', 'io', 'full'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

const RESULT_CODES: Readonly<Record<FaultKind, number>> = { busy: 5, io: 10, full: 13 };

const faultOf = (kind: FaultKind): unknown =>
  toServiceError(Object.assign(new Error(`injected ${kind} failure`), { errcode: RESULT_CODES[kind] }));

/** Makes one store call fail, counted from the moment when the plan is armed. */
export class FaultPlan {
  #failAt = 0;
  #calls = 0;
  #fired = false;
  #make: () => unknown = () => undefined;

  /** Makes the n-th call from now fail, counted from 1. */
  arm(call: number, kind: FaultKind): void {
    this.#failAt = call;
    this.#calls = 0;
    this.#fired = false;
    this.#make = () => faultOf(kind);
  }

  /** Makes the next commit that stores a fact succeed, but lose its confirmation. Background work stores none. */
  armLostCommit(): void {
    this.arm(0, 'io');
    this.#failAt = -1;
    this.#make = () => new ServiceError('commit_unknown', 'the connection was lost while committing');
  }

  disarm(): void {
    this.#failAt = 0;
  }

  /** Whether the failure has occurred. */
  get fired(): boolean {
    return this.#fired;
  }

  /** Throws if this call is the one to fail. */
  call(): void {
    if (this.#failAt <= 0) return;
    this.#calls += 1;
    if (this.#calls === this.#failAt) this.#fire();
  }

  committed(): void {
    if (this.#failAt === -1) this.#fire();
  }

  #fire(): never {
    this.#failAt = 0;
    this.#fired = true;
    throw this.#make();
  }
}

/**
 * Wraps a store that fails on demand: at the start of a transaction or snapshot, at a call inside one, or at the
 * commit. A transaction with a failed call cannot be committed, as in a real engine.
 */
export const createFaultingStore = (inner: FactStore, plan: FaultPlan): FactStore => ({
  read: async (work) => {
    plan.call();
    return inner.read((snapshot) => work(watched(snapshot, plan).view));
  },
  write: async (tenantId, work) => {
    plan.call();
    let storesFacts = false;
    const result = await inner.write(tenantId, async (transaction) => {
      const { view, failure, called } = watched<WriteTransaction>(transaction, plan);
      const outcome = await work(view);
      if (failure.error !== undefined) throw failure.error;
      plan.call();
      storesFacts = called.has('insert');
      return outcome;
    });
    if (storesFacts) plan.committed();
    return result;
  },
  removeTenant: async (tenantId, limit, record) => {
    plan.call();
    return inner.removeTenant(tenantId, limit, async (transaction, removed) => {
      const { view, failure } = watched<WriteTransaction>(transaction, plan);
      await record(view, removed);
      if (failure.error !== undefined) throw failure.error;
      plan.call();
    });
  },
  insideWrite: () => inner.insideWrite?.() ?? false,
  onSignal: (topic, listener) => inner.onSignal(topic, listener),
  migrate: (migrations, options) => inner.migrate(migrations, options),
  ping: () => inner.ping(),
  table: (name) => {
    plan.call();
    return inner.table(name);
  },
  tables: () => inner.tables(),
  scrub: () => inner.scrub(),
  close: () => inner.close(),
});

interface Watched<T> {
  readonly view: T;
  readonly failure: { error?: unknown };
  /** The names of the members that were called. */
  readonly called: ReadonlySet<unknown>;
}

const watched = <T extends Snapshot>(target: T, plan: FaultPlan): Watched<T> => {
  const failure: { error?: unknown } = {};
  const called = new Set<unknown>();
  const view = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        called.add(name);
        try {
          plan.call();
        } catch (error) {
          failure.error ??= error;
          // A query builder reports its failure only when it runs; for its user, throwing at creation has the same
          // effect.
          if (name === 'table' || name === 'signal') throw error;
          return Promise.reject(error);
        }
        return member.apply(target, args);
      };
    },
  });
  return { view, failure, called };
};
