import type { Embedder, Hlc } from '../../../kernel/plugin-api.ts';
import type { GenerationStore } from './generation-store.ts';
import type { VectorStore } from './vector-store.ts';

/** Where vectors come from, and how they are held. */
export interface VectorSide {
  readonly generations: GenerationStore;
  readonly store: VectorStore;
  /** The embedder of an id, by which queries can be compared with its vectors; undefined for one that is not here. */
  embedderOf(id: string): Embedder | undefined;
  /**
   * Place in the feed up to which vectors were missing at the start, because nobody has embedded for a while; undefined
   * when none were.
   */
  readonly goal: Hlc | undefined;
}
