/** The scopes, in the order in which callers see them listed. */
export const SCOPES = ['local', 'team', 'company', 'public'] as const;
export type Scope = (typeof SCOPES)[number];

export const VALUE_TYPES = ['string', 'text', 'number', 'boolean', 'datetime', 'ref', 'null'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** A value with its type (docs/reference/values.md). `v` is stored exactly as sent. */
export interface FactValue {
  readonly type: ValueType;
  readonly v: string | number | boolean | null;
  readonly interpretAs: 'content' | 'instruction';
}

/** The text that replaces a reference to an erased fact in `derivedFrom`. No fact has it as its content id. */
export const REDACTED_REFERENCE = `sha256:${'0'.repeat(64)}`;

/**
 * A stamp of the hybrid logical clock. Compare stamps with `compareHlc`, because their text form sorts wrongly (`….10`
 * before `….9`).
 */
export interface Hlc {
  /** The milliseconds since the epoch, UTC. */
  readonly wallMs: number;
  readonly counter: number;
}

/** Compares two stamps; the result is negative, zero or positive. All code compares stamps with it. */
export const compareHlc = (a: Hlc, b: Hlc): number => a.wallMs - b.wallMs || a.counter - b.counter;

/**
 * The key that facts share when they contradict, retract or supersede one another: the match keys of the triple, and
 * the place, which is a garden, or outside all gardens.
 */
export interface TripleKey {
  readonly tenantId: string;
  readonly entityKey: string;
  readonly relationKey: string;
  readonly scope: Scope;
  /** The garden identifier (UUID); null outside gardens. */
  readonly gardenId: string | null;
}

/** A validated fact with all derived members, but without stamps. */
export interface PreparedFact extends TripleKey {
  readonly id: string;
  /** The entity as sent, trimmed. */
  readonly entity: string;
  readonly relation: string;
  readonly value: FactValue;
  /** A key that is equal for values with the same meaning. Its length is limited. */
  readonly valueKey: string;
  readonly source: string;
  readonly sourceKey: string;
  /** The RFC 3339 timestamp exactly as sent; null lets the node use its own time. */
  readonly timestamp: string | null;
  readonly timestampMs: number | null;
  readonly confidence: number;
  /** The RFC 3339 beginning of validity, exactly as sent. */
  readonly validFrom: string | null;
  readonly validFromMs: number | null;
  /** The RFC 3339 end of validity, exactly as sent. */
  readonly validUntil: string | null;
  readonly validUntilMs: number | null;
  /** The content id, `sha256:<hex>` over six members. */
  readonly cid: string;
  /** The content ids of sources, each `sha256:<hex>`, in the given order. */
  readonly derivedFrom: readonly string[];
  /**
   * The facts that it ends, in the given order. Each is named by its id at its origin, and after a space by the node id
   * of its origin, if that is not the origin of this fact. Empty for a fact that names none.
   */
  readonly replaces: readonly string[];
  /** True for a system fact, which is about the store itself and found only by its name. */
  readonly system: boolean;
  readonly attested: boolean | null;
  readonly attestedKeyId: string | null;
  readonly sessionId: string | null;
  /** The entity URI of the principal who asserted it here; null for facts from a peer. */
  readonly assertedBy: string | null;
  /** The node id of the sending peer; null for local facts. */
  readonly receivedFrom: string | null;
  readonly originNodeId: string | null;
  /**
   * Identifies who is accountable for a received fact: its origin if that has signed it, otherwise the sender together
   * with the origin that the sender names. Null for facts of this node.
   */
  readonly speaker: string | null;
  /** The id at the origin, if another fact here already had that id and `id` is a new one; otherwise null. */
  readonly originId: string | null;
  /** The text of an origin stamp from outside, stored unchanged. */
  readonly hlcText: string | null;
}

/** A stored fact. Immutable. */
export interface StoredFact extends PreparedFact {
  readonly timestamp: string;
  readonly timestampMs: number;
  /** The origin stamp. It decides winners on every node alike and never changes. */
  readonly hlc: Hlc;
  readonly hlcText: string;
  /** This node's own stamp, in commit order; equal to `hlc` for facts asserted here. Never part of a shown fact. */
  readonly feed: Hlc;
  /**
   * The first column of the row that the store could not read, for example after a fault of the disk. Its member has a
   * neutral value. Absent in a whole fact. A damaged fact is left out of answers, or refused by name.
   */
  readonly damage?: string;
  /**
   * The bytes (UTF-8) of the value, if the query left it out: see `FactQuery.longValues`. The value is then an empty
   * text. Absent in every other fact.
   */
  readonly unreadBytes?: number;
}

/** A stored fact without its value, which may be large. It is enough for checking a triple. */
export interface FactOutline extends Omit<StoredFact, 'value'> {
  readonly interpretAs: FactValue['interpretAs'];
}

/** A fact outline with the length of the value, which thus need not be read. */
export interface SizedOutline extends FactOutline {
  /** The bytes of the value as text (UTF-8). */
  readonly valueBytes: number;
}
