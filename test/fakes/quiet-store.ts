import type { FactStore } from '../../ports/ports.ts';

/** So many turns of the event loop without a read or write, and work in the background has come to its end. */
const QUIET_TURNS = 20;

export interface QuietStore {
  readonly store: FactStore;
  /** Resolves when nobody has asked the store for anything for a while. */
  quiet(): Promise<void>;
}

/** A store that knows whether somebody is reading or writing. */
export const createQuietStore = (inner: FactStore): QuietStore => {
  let running = 0;
  let turns = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      turns = 0;
    }
  };
  const store: FactStore = {
    ...inner,
    read: (work) => counted(() => inner.read(work)),
    write: (tenantId, work) => counted(() => inner.write(tenantId, work)),
  };
  return {
    store,
    quiet: async () => {
      for (turns = 0; running > 0 || turns < QUIET_TURNS; turns += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
};
