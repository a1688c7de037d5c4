import type { Expiry, FactName, FormerExpiry } from '../../../kernel/internal-api.ts';
import type { Hlc } from '../../../kernel/plugin-api.ts';
import type { IndexedCover, IndexedFact } from '../index/indexed-fact.ts';
import type { SearchIndex } from '../search-api.ts';
import type { SnapshotExtents, SnapshotTarget } from '../snapshot/snapshot-extents.ts';
import type { StoredVector } from '../vectors/vector-store.ts';

/** A page of the feed, with the members that an index needs. */
export interface IndexPage {
  /** In the order of the feed. */
  readonly facts: readonly IndexedFact[];
  /** Indices in `facts` of hidden facts. They are withheld before any search can find them. */
  readonly hidden: readonly number[];
  readonly covers: readonly IndexedCover[];
  readonly expiries: readonly Expiry[];
  /** Expiries that some of `expiries` replaced, those of a fact oldest first. */
  readonly formerExpiries: readonly FormerExpiry[];
  /** The feed stamp up to which the index is current after this page. */
  readonly upTo: Hlc;
}

/** The present visibility of a fact. */
export interface Judgement {
  readonly fact: IndexedFact | FactName;
  /** True if the fact was destroyed; its words are then unknown. */
  readonly isDestroyed: boolean;
  readonly isHidden: boolean;
}

/** The vector layer that a caller requests for one generation. */
export interface LayerWanted {
  /** Name of the generation. */
  readonly name: string;
  /** Id of its embedder. */
  readonly embedder: string;
  readonly dimensions: number;
}

export interface OpenedLayer {
  readonly layer: number;
  /** The position up to which vectors are stored. */
  readonly seq: number;
  /** The reason why the snapshot could not be used; the layer is then empty. */
  readonly problem?: unknown;
}

export interface IndexSize {
  readonly facts: number;
  readonly vectors: number;
}

/**
 * Holds an index with its vectors, in this thread or in a separate one. Calls run in order, and all arguments and
 * results can be cloned. After the host has ended, each call rejects with `IndexGone`.
 */
export interface IndexHost extends Pick<SearchIndex, 'ask'> {
  /**
   * Replaces the content of the index by a snapshot, and returns the feed stamp of the snapshot. Rejects without a
   * change if the snapshot cannot be used. Open the layer of its vectors before any layer is served.
   */
  restore(kept: SnapshotExtents): Promise<Hlc>;
  /** Indexes a page. Searches may run in between, and see a prefix of the feed. Must not be called concurrently. */
  take(page: IndexPage): Promise<void>;
  /**
   * Withholds or restores facts. Resolves with false if the index holds a destroyed fact that was not withheld before,
   * because its words can no longer be subtracted.
   */
  judge(judgements: readonly Judgement[]): Promise<boolean>;
  /** Opens a layer for the generation: the served one if it is complete, or another one, filled from the snapshot. */
  openLayer(wanted: LayerWanted): Promise<OpenedLayer>;
  /** Stores vectors in a layer. It is then complete up to a position, except for facts that the index lacks. */
  setVectors(layer: number, vectors: readonly StoredVector[]): Promise<void>;
  /** Sets the searched layers and removes all others. A fact has a vector only in the first layer that got one. */
  serve(layers: readonly number[]): Promise<void>;
  /**
   * Appends new parts of the index, and of the vectors in the first served layer, to the files that it wrote or read
   * before, or writes new files. Resolves with the files that are then valid. Must not be called concurrently.
   */
  write(target: SnapshotTarget): Promise<SnapshotExtents>;
  /** The size after the last completed call. */
  readonly size: IndexSize;
  /** Resolves with the reason if the host ends without being closed. */
  readonly lost: Promise<Error>;
  /** Ends the host. Idempotent. */
  close(): Promise<void>;
}

/** Thrown after the index of a host has ended. */
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
  timestampMs,
  sourceKey,
  assertedBy,
  hlc,
  feed,
  confidence,
  validFromMs,
  validUntilMs,
  sessionId,
  system,
  speaker,
  originId,
  originNodeId,
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
  timestampMs,
  sourceKey,
  assertedBy,
  hlc,
  feed,
  confidence,
  validFromMs,
  validUntilMs,
  sessionId,
  system,
  speaker,
  originId,
  originNodeId,
});
