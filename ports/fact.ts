/** Order matters: it is the order in which scopes are listed to callers. */
export const SCOPES = ['local', 'team', 'company', 'public'] as const;
export type Scope = (typeof SCOPES)[number];

export const VALUE_TYPES = ['string', 'text', 'number', 'boolean', 'datetime', 'ref', 'null'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** A value with its type (docs/reference/values.md). `v` is exactly as sent. */
export interface FactValue {
  readonly type: ValueType;
  readonly v: string | number | boolean | null;
  readonly interpretAs: 'content' | 'instruction';
}

/** Stands in `derivedFrom` for a reference to a fact that was erased. No fact has it as its content id. */
export const REDACTED_REFERENCE = `sha256:${'0'.repeat(64)}`;

/**
 * One tick of the hybrid logical clock. Compare with `compareHlc`; the text form orders wrongly as text (`….10` sorts
 * before `….9`).
 */
export interface Hlc {
  /** Milliseconds since the epoch, UTC. */
  readonly wallMs: number;
  readonly counter: number;
}

/** Negative, zero or positive as `a` comes before, equals or comes after `b`. The only comparison of stamps. */
export const compareHlc = (a: Hlc, b: Hlc): number => a.wallMs - b.wallMs || a.counter - b.counter;

/**
 * The common part of facts that contradict, retract or supersede one another: the triple by its match keys, and the
 * place, which is a garden, or outside all gardens.
 */
export interface TripleKey {
  readonly tenantId: string;
  readonly entityKey: string;
  readonly relationKey: string;
  readonly scope: Scope;
  /** Garden identifier (UUID), null outside gardens. */
  readonly gardenId: string | null;
}

/** A fact ready to be stored: validated, with everything derived from it computed, but without stamps. */
export interface PreparedFact extends TripleKey {
  readonly id: string;
  /** As sent, trimmed. */
  readonly entity: string;
  readonly relation: string;
  readonly value: FactValue;
  /** Equal for values that mean the same. Its length is bounded. */
  readonly valueKey: string;
  readonly source: string;
  readonly sourceKey: string;
  /** RFC 3339, exactly as sent; null lets the node take its own time when it stamps the fact. */
  readonly timestamp: string | null;
  readonly timestampMs: number | null;
  readonly confidence: number;
  /** RFC 3339, exactly as sent. */
  readonly validUntil: string | null;
  readonly validUntilMs: number | null;
  /** `sha256:<hex>` over the six members. */
  readonly cid: string;
  /** `sha256:<hex>` each, in the order given. */
  readonly derivedFrom: readonly string[];
  /** System facts are about the store itself, and are found only by readers that name them. */
  readonly system: boolean;
  readonly attested: boolean | null;
  readonly attestedKeyId: string | null;
  readonly sessionId: string | null;
  /** entity_uri of the principal that asserted it here; null for facts that arrived from a peer. */
  readonly assertedBy: string | null;
  /** Node id of the sending peer, null for local facts. */
  readonly receivedFrom: string | null;
  readonly originNodeId: string | null;
  /** Text of the origin's stamp when it was given from outside, kept verbatim. */
  readonly hlcText: string | null;
}

/** A fact as the store holds it. Immutable. */
export interface StoredFact extends PreparedFact {
  readonly timestamp: string;
  readonly timestampMs: number;
  /** Origin stamp: decides winners on every node alike, never changes. */
  readonly hlc: Hlc;
  readonly hlcText: string;
  /** This node's own stamp, in commit order; equal to `hlc` for facts asserted here. Never shown on a fact. */
  readonly feed: Hlc;
}

/** A stored fact without its value, which is enough to check a triple even if the values are large. */
export interface FactOutline extends Omit<StoredFact, 'value'> {
  readonly interpretAs: FactValue['interpretAs'];
}

/** An outline with the length of the value, so that it need not be read. */
export interface SizedOutline extends FactOutline {
  /** Bytes of the value as text (UTF-8). */
  readonly valueBytes: number;
}
