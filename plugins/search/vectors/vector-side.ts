import type { Hlc } from '../../../kernel/plugin-api.ts';
import type { CodeSpace } from '../codes/code-space.ts';
import type { VectorStore } from './vector-store.ts';

/** Where vectors come from, and how they are held. */
export interface VectorSide {
  readonly embedder: string;
  readonly store: VectorStore;
  readonly codes: CodeSpace;
  /**
   * Place in the feed up to which vectors were missing at the start, because the operator has changed the embedder, or
   * stopped it before it was done; undefined when none were.
   */
  readonly goal: Hlc | undefined;
}
