import { coalesce } from '../../../kernel/plugin-api.ts';
import type { StoredVector } from './vector-store.ts';

/** They are read and handed over without a pause: a few milliseconds. */
const VECTORS_PER_PAGE = 256;

export interface VectorFeedParts {
  /** Vectors of one generation after a place, in the order in which they were stored. */
  after(seq: number, limit: number): Promise<readonly StoredVector[]>;
  /** Takes them in; those of facts that are not there are passed over. */
  take(vectors: readonly StoredVector[]): Promise<void>;
  /** Brings the facts in: a vector is never older than its fact. */
  index(): Promise<void>;
}

/** Brings the vectors that any process has stored into this one's index, in the order in which they were stored. */
export class VectorFeed {
  readonly #parts: VectorFeedParts;
  #seq: number;

  constructor(parts: VectorFeedParts, seq: number) {
    this.#parts = parts;
    this.#seq = seq;
  }

  /** Everything up to it was taken in, but for facts that the index did not have. */
  get seq(): number {
    return this.#seq;
  }

  /** Resolves when the vectors that were stored before the call are in. */
  readonly catchUp = coalesce(async () => {
    while (await this.#readPage());
  });

  /** True when there may be more. */
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
