import type { Clock, FactStore } from '../../ports/ports.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Measures the duration of snapshots and write transactions. All other members pass through to the store. */
export const measuredStore = (store: FactStore, telemetry: Telemetry, clock: Clock): FactStore => {
  const seconds = telemetry.histogram({
    name: 'store_transaction_seconds',
    help: 'Time of reads on a snapshot and of write transactions, with the wait for a connection and the commit',
    labels: ['kind', 'result'],
    buckets: SECONDS,
  });
  const timed = async <T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    if (!seconds.isHeard) return work();
    const begunMs = clock.monotonicMs();
    let result = 'failed';
    try {
      const value = await work();
      result = 'done';
      return value;
    } finally {
      seconds.observe((clock.monotonicMs() - begunMs) / 1_000, { kind, result });
    }
  };
  const read: FactStore['read'] = (work) => timed('read', () => store.read(work));
  const write: FactStore['write'] = (tenantId, work) => timed('write', () => store.write(tenantId, work));
  const measured: Readonly<Record<PropertyKey, unknown>> = { read, write };
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(measured, name)) return measured[name];
      const member: unknown = Reflect.get(target, name, target);
      // Binds the member at each access, because a wrapper in a test may change it.
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
};
