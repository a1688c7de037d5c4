import type { Cover, Expiry, FactName } from '../../../kernel/internal-api.ts';
import type { Hlc } from '../../../kernel/plugin-api.ts';
import type { IndexedFact } from '../index/index-state.ts';
import type { SearchIndex } from '../search-api.ts';
import type { SnapshotExtents, SnapshotTarget } from '../snapshot/snapshot-extents.ts';
import type { StoredVector } from '../vectors/vector-store.ts';

/** A page of the feed, as far as an index takes it in. */
export interface IndexPage {
  /** In the order of the feed. */
  readonly facts: readonly IndexedFact[];
  /** Places in `facts` of those that are hidden. They are withheld before any search sees them. */
  readonly hidden: readonly number[];
  readonly covers: readonly Cover[];
  readonly expiries: readonly Expiry[];
  /** Stamp of the feed up to which the index then has everything. */
  readonly upTo: Hlc;
}

/** Whether a fact is hidden now. */
export interface Judgement {
  readonly fact: IndexedFact | FactName;
  /** Of a fact that was destroyed there are no words. */
  readonly isDestroyed: boolean;
  readonly isHidden: boolean;
}

/** Where vectors of one generation are to lie. */
export interface LayerWanted {
  /** Name of the generation. */
  readonly name: string;
  /** Id of its embedder. */
  readonly embedder: string;
  readonly dimensions: number;
}

export interface OpenedLayer {
  readonly layer: number;
  /** Up to which place vectors are in. */
  readonly seq: number;
  /** Why the snapshot could not be used; the layer is empty then. */
  readonly problem?: unknown;
}

export interface IndexSize {
  readonly facts: number;
  readonly vectors: number;
}

/**
 * Holds an index with its vectors, in this thread or in one of its own. Calls are taken in the order in which they are
 * made, and all that is said can be cloned. After the host has ended each call rejects with `IndexGone`.
 */
export interface IndexHost extends Pick<SearchIndex, 'ask'> {
  /**
   * Takes the place of what the index holds by that of a snapshot, and returns the stamp up to which that is. Rejects
   * when it cannot be used, and changes nothing then. Its vectors are for a layer that is opened before any is served.
   */
  restore(kept: SnapshotExtents): Promise<Hlc>;
  /** Takes a page in. Searches have their turn in between, and see a prefix of the feed. Not two at a time. */
  take(page: IndexPage): Promise<void>;
  /**
   * Withholds or gives back. With `isStrict`, resolves with false when the index holds a fact that was destroyed and
   * not withheld before: nobody can tell any more what it counts for.
   */
  judge(judgements: readonly Judgement[], isStrict: boolean): Promise<boolean>;
  /**
   * A layer for the generation: the one that is served, when nothing was taken out of it, or another one, with what the
   * snapshot has of it.
   */
  openLayer(wanted: LayerWanted): Promise<OpenedLayer>;
  /** Puts vectors into a layer, which then has everything up to a place but for facts that the index lacks. */
  setVectors(layer: number, vectors: readonly StoredVector[]): Promise<void>;
  /** Which layers are searched from now on; others go. A fact has a vector in the first of them that got one. */
  serve(layers: readonly number[]): Promise<void>;
  /**
   * Appends new parts of the index, and of the vectors in the first served layer, to the files that it has written or
   * read before, or writes everything into new files. Resolves with the files that then count. Not two at a time.
   */
  write(target: SnapshotTarget): Promise<SnapshotExtents>;
  /** As it was after the last call that was answered. */
  readonly size: IndexSize;
  /** Resolves with the reason when the host has ended without being closed. */
  readonly lost: Promise<Error>;
  /** Ends it. Idempotent. */
  close(): Promise<void>;
}

/** The index is not there any more. */
export class IndexGone extends Error {}

/** Returns only the members of a fact that an index needs. */
export const indexedFact = ({
  id,
  tenantId,
  scope,
  gardenId,
  entity,
  entityKey,
  relation,
  relationKey,
  value,
  timestamp,
  hlc,
  feed,
  confidence,
  validUntilMs,
  sessionId,
  system,
}: IndexedFact): IndexedFact => ({
  id,
  tenantId,
  scope,
  gardenId,
  entity,
  entityKey,
  relation,
  relationKey,
  value,
  timestamp,
  hlc,
  feed,
  confidence,
  validUntilMs,
  sessionId,
  system,
});
