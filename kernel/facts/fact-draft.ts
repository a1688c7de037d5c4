import type { FactValue, Principal, Ref, Scope } from '../../ports/ports.ts';

/** A fact to be stored. Text is validated; nothing is derived yet. */
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
  /** Messages of the asserting plugin to handlers of the append. Never stored. */
  readonly notes?: Notes | undefined;
  /** The name of the fact in violations; `body` without it. */
  readonly path?: string;
}

export type Notes = ReadonlyMap<Ref<unknown>, unknown>;

/** Returns the note under this key. */
export const noteOf = <T>(notes: Notes | undefined, key: Ref<T>): T | undefined =>
  notes?.get(key as Ref<unknown>) as T | undefined;
export const noted = <T>(key: Ref<T>, value: T): Notes =>
  new Map<Ref<unknown>, unknown>([[key as Ref<unknown>, value]]);

/** `client`: a request; `plugin`: a follow-up of another fact; `peer`: replication. */
export type Origin = 'client' | 'plugin' | 'peer';

/** The caller and origin of an append. */
export interface Appender {
  readonly caller: Principal;
  readonly origin: Origin;
}

/** Rights are checked for clients alone: not for facts of the node, follow-ups and facts of peers. */
export const isByClient = ({ caller, origin }: Appender): boolean => origin === 'client' && caller.kind !== 'node';
