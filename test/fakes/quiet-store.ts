import type { FactStore } from '../../ports/ports.ts';

/** The number of event loop turns without store access after which background work counts as finished. */
const QUIET_TURNS = 20;

export interface QuietStore {
  readonly store: FactStore;
  /** Resolves when no code has accessed the store for a while. */
  quiet(): Promise<void>;
}

/** Wraps a store so that a test can wait until reads and writes have ended. */
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
