import { withinTime } from '../../kernel/internal-api.ts';
import { type Clock, type Embedder, type Principal, sha256Hex } from '../../kernel/plugin-api.ts';

export interface QueryVectorsParts {
  readonly clock: Clock;
  /** Milliseconds that a recall waits for the vector of its query; 0: as long as the embedder takes. */
  readonly waitMs: number;
}

interface PendingVector {
  readonly made: Promise<Float32Array>;
  /** Whether somebody has waited for it in vain. */
  isLate: boolean;
}

/** The latest queries of one caller, the oldest first. */
interface CallersQueries {
  readonly vectors: Map<string, PendingVector>;
  /** Late vectors that are still under way. */
  late: number;
}

/** With vectors of 768 dimensions all that is kept takes 12 MiB. */
const MOST_CALLERS = 256;
const MOST_OF_CALLER = 16;
const MOST_LATE = 16;

/**
 * The vectors of queries, each for the caller who asked it and for nobody else: the speed of an answer shows whether
 * somebody asked the same before. Those of the last queries are kept, also when they came too late for the answer.
 */
export class QueryVectors {
  readonly #parts: QueryVectorsParts;
  readonly #callers = new Map<string, CallersQueries>();

  constructor(parts: QueryVectorsParts) {
    this.#parts = parts;
  }

  /**
   * Rejects when the embedder fails, or is not done in time; then it goes on, and the next one who asks the same gets
   * what it came to. Callers with too many of these are refused at once.
   */
  async of(query: string, embedder: Embedder, caller: Principal): Promise<Float32Array> {
    const { clock, waitMs } = this.#parts;
    const queries = latest(this.#callers, callerKey(caller), MOST_CALLERS, () => ({ vectors: new Map(), late: 0 }));
    const asked = latest(queries.vectors, `${embedder.id} ${sha256Hex(query)}`, MOST_OF_CALLER, (key) => {
      if (queries.late >= MOST_LATE) throw new Error('the embedder does not keep up with the queries of this caller');
      const made = embedOne(query, embedder);
      // A failed query is tried again.
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

/** Counts a vector once, however many wait for it. */
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

/** Returns the value of the key, made where it is missing, as the newest entry. The oldest gives way. */
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
