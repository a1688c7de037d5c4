import { coalesce } from '../../../kernel/plugin-api.ts';
import type { StoredVector } from './vector-store.ts';

/** The number of vectors read and passed on without a pause: a few milliseconds of work. */
const VECTORS_PER_PAGE = 256;

export interface VectorFeedParts {
  /** Returns vectors of one generation after a position, in the order in which they were stored. */
  after(seq: number, limit: number): Promise<readonly StoredVector[]>;
  /** Adds vectors to the index. Vectors of unknown facts are skipped. */
  take(vectors: readonly StoredVector[]): Promise<void>;
  /** Indexes new facts first, because a vector is never older than its fact. */
  index(): Promise<void>;
}

/**
 * Adds the vectors that any process has stored to the index of this process, in the order in which they were stored.
 */
export class VectorFeed {
  readonly #parts: VectorFeedParts;
  #seq: number;

  constructor(parts: VectorFeedParts, seq: number) {
    this.#parts = parts;
    this.#seq = seq;
  }

  /** The position up to which all vectors were read, though not those of unknown facts. */
  get seq(): number {
    return this.#seq;
  }

  /** Resolves when all vectors stored before the call are in the index. */
  readonly catchUp = coalesce(async () => {
    while (await this.#readPage());
  });

  /** Returns true if there may be more. */
  async #readPage(): Promise<boolean> {
    const { after, take, index } = this.#parts;
    const vectors = await after(this.#seq, VECTORS_PER_PAGE);
    const last = vectors.at(-1);
    if (last === undefined) return false;
    await index();
    await take(vectors);
    this.#seq = last.seq;
    return vectors.length === VECTORS_PER_PAGE;
  }
}
