import type { VectorStore } from './vector-store.ts';

const VECTORS_PER_PAGE = 1_000;

/** Where vectors go. False for a fact that is not there (yet). */
export interface VectorSink {
  set(factId: string, code: Int8Array, scale: number): boolean;
}

/** Brings the vectors that any process has stored into this one's index, in the order in which they were stored. */
export class VectorFeed {
  readonly #store: VectorStore;
  readonly #sink: VectorSink;
  #seq: number;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(store: VectorStore, sink: VectorSink, seq: number) {
    this.#store = store;
    this.#sink = sink;
    this.#seq = seq;
  }

  /** Everything up to it is in the sink, but for facts that the index did not have. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Resolves when what was stored before the call is in. `index` brings the facts in first: a vector is never older
   * than its fact.
   */
  async catchUp(index: () => Promise<void>): Promise<void> {
    if (this.#running !== undefined) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#readAll(index);
    return this.#running;
  }

  async #readAll(index: () => Promise<void>): Promise<void> {
    try {
      do {
        this.#again = false;
        while (await this.#readPage(index));
      } while (this.#again);
    } finally {
      // In one turn with the last look at `#again`: whoever calls from now on starts anew.
      this.#running = undefined;
    }
  }

  /** True when there may be more. */
  async #readPage(index: () => Promise<void>): Promise<boolean> {
    const vectors = await this.#store.after(this.#seq, VECTORS_PER_PAGE);
    const last = vectors.at(-1);
    if (last === undefined) return false;
    await index();
    for (const { factId, code, scale } of vectors) this.#sink.set(factId, code, scale);
    this.#seq = last.seq;
    return vectors.length === VECTORS_PER_PAGE;
  }
}
