import { setTimeout as pause } from 'node:timers/promises';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { Hlc } from '../../ports/ports.ts';

/** Watches a store for new facts while a node writes it. */
export interface Arrivals {
  /** The time at which the watch first saw each fact, by fact id, in milliseconds of `performance.now`. */
  readonly seenMs: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 10;
const FACTS_PER_LOOK = 5_000;

/** Watches the SQLite file of a node. Ignores facts that the file already holds. */
export const watchArrivals = async (path: string): Promise<Arrivals> => {
  const store = createSqliteStore({ path });
  const seenMs = new Map<string, number>();
  let after: Hlc = (await store.read((snapshot) => snapshot.head())) ?? { wallMs: 0, counter: 0 };
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const entries = await store.read((snapshot) => snapshot.feedAfter(after, FACTS_PER_LOOK));
      const nowMs = performance.now();
      for (const { subjectId, stamp } of entries) {
        seenMs.set(subjectId, nowMs);
        after = stamp;
      }
      await pause(LOOK_EVERY_MS);
    }
  };
  const looking = look();
  return {
    seenMs,
    async stop() {
      isOver = true;
      await looking;
      await store.close();
    },
  };
};
