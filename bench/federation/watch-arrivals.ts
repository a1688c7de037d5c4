import { setTimeout as pause } from 'node:timers/promises';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { Hlc } from '../../ports/ports.ts';

/** Sees facts as soon as they are in a store, beside the node that writes it. */
export interface Arrivals {
  /** When each fact was seen first, by its id; milliseconds of `performance.now`. */
  readonly seenMs: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 10;
const FACTS_PER_LOOK = 5_000;

/** Looks into the SQLite file of a node. Facts that are there already are not counted. */
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
