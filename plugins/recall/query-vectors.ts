import { withinTime } from '../../kernel/internal-api.ts';
import { type Clock, type Embedder, type Principal, sha256Hex } from '../../kernel/plugin-api.ts';

export interface QueryVectorsParts {
  readonly clock: Clock;
  /** The maximum time in milliseconds that a recall waits for the vector of its query; 0 for no limit. */
  readonly waitMs: number;
}

interface PendingVector {
  readonly made: Promise<Float32Array>;
  /** True if a recall has given up waiting for it. */
  isLate: boolean;
}

/** The latest queries of one caller, the oldest first. */
interface CallersQueries {
  readonly vectors: Map<string, PendingVector>;
  /** The number of late vectors that are still being computed. */
  late: number;
}

/** With vectors of 768 dimensions a full cache takes 12 MiB. */
const MOST_CALLERS = 256;
const MOST_OF_CALLER = 16;
const MOST_LATE = 16;

/**
 * Caches the vectors of the last queries of each caller, including late ones. Callers never share vectors, because the
 * speed of an answer would reveal the queries of others.
 */
export class QueryVectors {
  readonly #parts: QueryVectorsParts;
  readonly #callers = new Map<string, CallersQueries>();

  constructor(parts: QueryVectorsParts) {
    this.#parts = parts;
  }

  /**
   * Rejects if the embedder fails or is late. A late vector is still computed, and serves the next equal query. Callers
   * with too many late vectors are refused at once.
   */
  async of(query: string, embedder: Embedder, caller: Principal): Promise<Float32Array> {
    const { clock, waitMs } = this.#parts;
    const queries = latest(this.#callers, callerKey(caller), MOST_CALLERS, () => ({ vectors: new Map(), late: 0 }));
    const asked = latest(queries.vectors, `${embedder.id} ${sha256Hex(query)}`, MOST_OF_CALLER, (key) => {
      if (queries.late >= MOST_LATE) throw new Error('the embedder does not keep up with the queries of this caller');
      const made = embedOne(query, embedder);
      // A failed query is retried.
      made.catch(() => queries.vectors.delete(key));
      return { made, isLate: false };
    });
    if (waitMs === 0) return asked.made;
    return withinTime(
      clock,
      waitMs,
      () => asked.made,
      () => {
        noteLate(asked, queries);
        return new Error(`the embedder takes longer than the ${waitMs} ms of SVC_QUERY_EMBED_MS`);
      },
    );
  }
}

/** Counts a late vector once, even if several recalls wait for it. */
const noteLate = (asked: PendingVector, queries: CallersQueries): void => {
  if (asked.isLate) return;
  asked.isLate = true;
  queries.late += 1;
  const ended = (): void => {
    queries.late -= 1;
  };
  asked.made.then(ended, ended);
};

const callerKey = ({ tenantId, entityUri }: Principal): string => JSON.stringify([tenantId, entityUri]);

/** Returns the value of the key, created if missing, and makes it the newest entry. A full map drops its oldest one. */
const latest = <T>(map: Map<string, T>, key: string, most: number, make: (key: string) => T): T => {
  const value = map.get(key) ?? make(key);
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value as string);
  map.set(key, value);
  return value;
};

const embedOne = async (query: string, embedder: Embedder): Promise<Float32Array> => {
  const [vector] = await embedder.embed([query], 'query');
  if (vector?.length === embedder.dimensions && vector.every(Number.isFinite)) return vector;
  throw new RangeError(`the embedder did not answer one vector of ${embedder.dimensions} finite components`);
};
