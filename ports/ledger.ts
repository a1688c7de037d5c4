import type { Hlc, Scope } from './fact.ts';
import type { Filter } from './fact-filter.ts';

/*
 * The ledger of a tenant: its facts in the order of their commits. A fact's own row is its entry. Everything that
 * follows from a stored fact (its writer, its charge, pending work on it) is read from the ledger and has no row of its
 * own.
 */

/** The link of a fact in the chain of its tenant's facts. It never changes. */
export interface FactLink {
  /** The position in the chain, from 1 without gaps, in the order of the ledger. */
  readonly seq: number;
  /** The hash of 32 bytes. */
  readonly hash: Uint8Array;
}

/** The circumstances in which a fact was stored. They are in its row, but not part of the fact. */
export interface WriteRecord {
  /** The entity URI of the writer; for a replicated fact the peer, which is not its author. */
  readonly writer: string;
  /** The subject of the writer at its identity provider. */
  readonly writerSub: string | null;
  /** The identifier of the API key that the writer used. */
  readonly writerKeyId: string | null;
  /** The sorted tags that plugins set in its transaction; see `AppendItem.tag`. */
  readonly tags: readonly string[];
  /**
   * The 16 random bytes in the commitment of its value, so that nobody can guess a short value from it. Null after the
   * erasure.
   */
  readonly salt: Uint8Array | null;
  /**
   * The commitment to its value, 32 bytes. A sealed store keeps it apart, so that the chain still verifies where the
   * key of the value is gone. Absent for a fact without a salt.
   */
  readonly commitment?: Uint8Array | null;
  readonly link: FactLink | null;
}

/** A fact as an entry in the ledger of its tenant. */
export interface LedgerEntry extends WriteRecord {
  readonly tenantId: string;
  /**
   * The number of the entry. It grows with every entry of the tenant, with gaps where plugins took numbers: see
   * `WriteTransaction.takeNumbers`.
   */
  readonly number: number;
  readonly factId: string;
  readonly scope: Scope;
  /** The garden identifier (UUID); null outside gardens. */
  readonly gardenId: string | null;
  readonly source: string;
  readonly attestedKeyId: string | null;
  readonly feed: Hlc;
  /** The commitment to the value of an erased fact, 32 bytes; null while the value can be read. */
  readonly commitment: Uint8Array | null;
}

/** A selection of entries of one tenant. */
export interface LedgerRange {
  readonly tenantId: string;
  /** The exclusive lower limit of numbers. */
  readonly above?: number | undefined;
  /** The exclusive upper limit of numbers. */
  readonly below?: number | undefined;
  readonly writer?: string | undefined;
  readonly writerSub?: string | undefined;
  /** The tag that entries must have. */
  readonly tag?: string | undefined;
  /** A further condition on the facts. */
  readonly filter?: Filter | undefined;
}

export interface LedgerQuery<M extends keyof LedgerEntry = keyof LedgerEntry> extends LedgerRange {
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
  /** The members to read of each entry. Default: all. Omitted members cost nothing. */
  readonly members?: readonly M[];
}

/** The end of the ledger of a tenant. */
export interface LedgerHead {
  /** The highest number so far; 0 for an empty ledger. */
  readonly number: number;
  /** The number of the newest fact, and the stamp of the newest feed entry; null without facts. */
  readonly newest: { readonly number: number; readonly feed: Hlc } | null;
  /** The newest fact with a link; null without one. Later facts have no link yet. */
  readonly linked: { readonly number: number; readonly link: FactLink } | null;
}
