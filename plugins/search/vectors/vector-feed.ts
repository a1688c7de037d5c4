import { coalesce, type FactName } from '../../../kernel/plugin-api.ts';
import type { VectorStore } from './vector-store.ts';

const VECTORS_PER_PAGE = 1_000;

/** Where vectors go. False for a fact that is not there (yet). */
export interface VectorSink {
  set(fact: FactName, code: Int8Array, scale: number): boolean;
}

/** Brings the vectors that any process has stored into this one's index, in the order in which they were stored. */
export class VectorFeed {
  readonly #store: VectorStore;
  readonly #sink: VectorSink;
  readonly #index: () => Promise<void>;
  #seq: number;

  /** `index` brings the facts in: a vector is never older than its fact. */
  constructor(store: VectorStore, sink: VectorSink, seq: number, index: () => Promise<void>) {
    this.#store = store;
    this.#index = index;
    this.#sink = sink;
    this.#seq = seq;
  }

  /** Everything up to it is in the sink, but for facts that the index did not have. */
  get seq(): number {
    return this.#seq;
  }

  /** Resolves when what was stored before the call is in. */
  readonly catchUp = coalesce(async () => {
    while (await this.#readPage());
  });

  /** True when there may be more. */
  async #readPage(): Promise<boolean> {
    const vectors = await this.#store.after(this.#seq, VECTORS_PER_PAGE);
    const last = vectors.at(-1);
    if (last === undefined) return false;
    await this.#index();
    for (const { fact, code, scale } of vectors) this.#sink.set(fact, code, scale);
    this.#seq = last.seq;
    return vectors.length === VECTORS_PER_PAGE;
  }
}
