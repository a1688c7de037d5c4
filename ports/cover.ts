import type { Hlc, TripleKey } from './fact.ts';

/** The identity of a fact, which is the same on every node. */
export interface NamedFact {
  /** The id at its origin. */
  readonly id: string;
  /** The node id of its origin. */
  readonly origin: string;
  /** True if the origin is this node. */
  readonly isOwn: boolean;
}

/** Ends facts of its triple and place with a lower origin stamp: a retraction, a resolution, or a replacement. */
export interface Cover extends TripleKey {
  readonly kind: 'retraction' | 'resolution' | 'replacement';
  readonly factId: string;
  /** The entity URI of the principal who asserted the fact here; null for a fact of a peer. */
  readonly assertedBy: string | null;
  /** The only fact that it ends; null if it ends all. */
  readonly named: NamedFact | null;
  readonly hlc: Hlc;
  /** The only speaker whose facts it ends; null if it ends the facts of all speakers. */
  readonly speaker: string | null;
  /**
   * The feed stamp from which the cover counts: that of the fact, or of a later one that turned the fact into a cover.
   */
  readonly since: Hlc;
}
