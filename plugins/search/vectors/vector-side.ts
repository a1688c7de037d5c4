import type { Embedder, Hlc } from '../../../kernel/plugin-api.ts';
import type { GenerationStore } from './generation-store.ts';
import type { VectorStore } from './vector-store.ts';

/** The source and the form of the vectors of an index. */
export interface VectorSide {
  readonly generations: GenerationStore;
  readonly store: VectorStore;
  /**
   * Returns the embedder of an id, which can embed queries for its vectors; undefined if this process does not have it.
   */
  embedderOf(id: string): Embedder | undefined;
  /**
   * The feed position up to which vectors were missing at the start, because no process had embedded for a while;
   * undefined if none were missing.
   */
  readonly goal: Hlc | undefined;
}
