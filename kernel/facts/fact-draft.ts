import type { FactValue, Principal, Ref, Scope } from '../../ports/ports.ts';

/** The input of an append: texts are validated, and nothing is derived yet. */
export interface FactDraft {
  readonly entity: string;
  readonly relation: string;
  readonly value: FactValue;
  readonly source: string;
  readonly confidence: number;
  readonly scope: Scope;
  /** An RFC 3339 instant, stored as sent. At most `validUntil`, and null for a retraction. */
  readonly validFrom?: string | null;
  /** An RFC 3339 instant, stored as sent. */
  readonly validUntil?: string | null;
  readonly timestamp?: string | null;
  /** The garden identifier (UUID). */
  readonly gardenId?: string | null;
  /** The content ids of sources, each `sha256:<hex>`. */
  readonly derivedFrom?: readonly string[];
  /** Given only by import and ingest: see `PreparedFact`. */
  readonly replaces?: readonly string[];
  readonly sessionId?: string | null;
  readonly attested?: boolean | null;
  readonly attestedKeyId?: string | null;
  /** The fact id, given only by import and ingest. Otherwise the node assigns one. */
  readonly id?: string;
  /** The origin stamp as text, given only by import and ingest. */
  readonly hlcText?: string;
  readonly receivedFrom?: string | null;
  readonly originNodeId?: string | null;
  /** Given only by import and ingest: see `PreparedFact`. */
  readonly speaker?: string | null;
  /** The id at the origin; given only where `id` differs from it. */
  readonly originId?: string | null;
  /** Messages from the asserting plugin to handlers of the append. They are never stored. */
  readonly notes?: Notes | undefined;
  /** The name of the fact in violations. Default: `body`. */
  readonly path?: string;
}

export type Notes = ReadonlyMap<Ref<unknown>, unknown>;

/** Returns the note under this key. */
export const noteOf = <T>(notes: Notes | undefined, key: Ref<T>): T | undefined =>
  notes?.get(key as Ref<unknown>) as T | undefined;
export const noted = <T>(key: Ref<T>, value: T): Notes =>
  new Map<Ref<unknown>, unknown>([[key as Ref<unknown>, value]]);

/** The origin of an append. `client`: a request; `plugin`: a follow-up of another fact; `peer`: replication. */
export type Origin = 'client' | 'plugin' | 'peer';

/** The caller and origin of an append. */
export interface Appender {
  readonly caller: Principal;
  readonly origin: Origin;
}

/**
 * Returns whether rights are checked, which is only so for clients: not for facts of the node, follow-ups and facts of
 * peers.
 */
export const isByClient = ({ caller, origin }: Appender): boolean => origin === 'client' && caller.kind !== 'node';
