import type { Hlc, Scope } from './fact.ts';
import type { Filter } from './fact-filter.ts';

/*
 * The ledger of a tenant: its facts in the order of their commits. A fact's own row is its entry. Everything that
 * follows from a stored fact (its writer, its charge, pending work on it) is read from the ledger and has no row of its
 * own.
 */

/** A fact's place in the chain over the facts of its tenant. It never changes once it exists. */
export interface FactLink {
  /** From 1, without gaps, in the order of the ledger. */
  readonly seq: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

/** How a fact came into the store. Stored in its row, and no part of the fact. */
export interface WriteRecord {
  /** entity_uri of the writer; for a replicated fact the peer, which asserts nothing. */
  readonly writer: string;
  /** Subject of the writer at its identity provider. */
  readonly writerSub: string | null;
  /** Identifier of the API key that the writer used. */
  readonly writerKeyId: string | null;
  /** Tags of plugins from the transaction that stored it, sorted; see `AppendItem.tag`. */
  readonly tags: readonly string[];
  /**
   * 16 random bytes in the commitment of its value, so that a short value cannot be guessed from it. Null once the fact
   * is erased.
   */
  readonly salt: Uint8Array | null;
  readonly link: FactLink | null;
}

/** A fact as an entry in the ledger of its tenant. */
export interface LedgerEntry extends WriteRecord {
  readonly tenantId: string;
  /** Grows with every entry of the tenant, with gaps where plugins took numbers: see `WriteTransaction.takeNumbers`. */
  readonly number: number;
  readonly factId: string;
  readonly scope: Scope;
  /** Garden identifier (UUID), null outside gardens. */
  readonly gardenId: string | null;
  readonly source: string;
  readonly attestedKeyId: string | null;
  readonly feed: Hlc;
  /** 32 bytes that stand for the value of an erased fact; null while the value exists. */
  readonly commitment: Uint8Array | null;
}

/** A selection of entries of one tenant. */
export interface LedgerRange {
  readonly tenantId: string;
  /** Only numbers strictly above it. */
  readonly above?: number | undefined;
  /** Only numbers strictly below it. */
  readonly below?: number | undefined;
  readonly writer?: string | undefined;
  readonly writerSub?: string | undefined;
  /** Only entries with this tag. */
  readonly tag?: string | undefined;
  /** A further condition on the facts. */
  readonly filter?: Filter | undefined;
}

export interface LedgerQuery<M extends keyof LedgerEntry = keyof LedgerEntry> extends LedgerRange {
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
  /** The members to read of each entry; all without it. Omitted members cost nothing. */
  readonly members?: readonly M[];
}

/** The end of the ledger of a tenant. */
export interface LedgerHead {
  /** The highest number so far; 0 without any. */
  readonly number: number;
  /** Number of the newest fact, and stamp of the newest entry of the feed; null without any fact. */
  readonly newest: { readonly number: number; readonly feed: Hlc } | null;
  /** The newest fact with a link, and its number; null without any. Facts after it have no link yet. */
  readonly linked: { readonly number: number; readonly link: FactLink } | null;
}
