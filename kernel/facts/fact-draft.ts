import type { FactValue, Principal, Ref, Scope } from '../../ports/ports.ts';

/** A fact as somebody wants it stored. Text is validated; nothing is derived yet. */
export interface FactDraft {
  readonly entity: string;
  readonly relation: string;
  readonly value: FactValue;
  readonly source: string;
  readonly confidence: number;
  readonly scope: Scope;
  /** RFC 3339, kept as sent. */
  readonly validUntil?: string | null;
  readonly timestamp?: string | null;
  /** Garden identifier (UUID). */
  readonly gardenId?: string | null;
  /** `sha256:<hex>` each. */
  readonly derivedFrom?: readonly string[];
  readonly sessionId?: string | null;
  readonly attested?: boolean | null;
  readonly attestedKeyId?: string | null;
  /** Given only by import and ingest; the node assigns one otherwise. */
  readonly id?: string;
  /** The origin's stamp, verbatim; only on import and ingest. */
  readonly hlcText?: string;
  readonly receivedFrom?: string | null;
  readonly originNodeId?: string | null;
  /** What the asserting plugin tells handlers of the append about this fact. Never stored. */
  readonly notes?: Notes | undefined;
  /** How violations name the fact; `body` without it. */
  readonly path?: string;
}

export type Notes = ReadonlyMap<Ref<unknown>, unknown>;

/** Reads a note that was written under this key. */
export const noteOf = <T>(notes: Notes | undefined, key: Ref<T>): T | undefined =>
  notes?.get(key as Ref<unknown>) as T | undefined;
export const noted = <T>(key: Ref<T>, value: T): Notes =>
  new Map<Ref<unknown>, unknown>([[key as Ref<unknown>, value]]);

/** `client`: somebody's request; `plugin`: follows from another fact; `peer`: replicated. */
export type Origin = 'client' | 'plugin' | 'peer';

/** Who appends, and on what grounds. */
export interface Appender {
  readonly caller: Principal;
  readonly origin: Origin;
}

/** What the node says itself is not judged, nor what follows from other facts or comes from a peer. */
export const isByClient = ({ caller, origin }: Appender): boolean => origin === 'client' && caller.kind !== 'node';
