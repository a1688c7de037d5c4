import type { Hlc, Scope } from './fact.ts';
import type { Filter } from './fact-filter.ts';

/*
 * The ledger of a tenant: its facts in the order of their commits. A fact's own row is its entry. Whatever follows from
 * the fact that a fact was stored (who wrote it, what is charged for it, what is still to be done with it) is read from
 * the ledger and has no row of its own.
 */

/** A fact's place in the chain over the facts of its tenant. Never changes once it is there. */
export interface FactLink {
  /** From 1, without gaps, in the order of the ledger. */
  readonly seq: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

/** How a fact came into the store. Kept in its row, and no part of the fact. */
export interface WriteRecord {
  /** entity_uri of who brought it: also of a peer, which asserts nothing. */
  readonly writer: string;
  /** Subject of the writer at its identity provider. */
  readonly writerSub: string | null;
  /** Identifier of the API key that the writer used. */
  readonly writerKeyId: string | null;
  /** What plugins noted about it in the transaction that stored it, sorted; see `AppendItem.tag`. */
  readonly tags: readonly string[];
  /**
   * 16 random bytes that go into the commitment of its value, so that a short value cannot be guessed from it. Null
   * once the fact is erased.
   */
  readonly salt: Uint8Array | null;
  readonly link: FactLink | null;
}

/** The entry that a fact is in the ledger of its tenant. */
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
  /** 32 bytes that stand for the value of an erased fact; null while the value is there, from which they follow. */
  readonly commitment: Uint8Array | null;
}

/** Which entries of one tenant. */
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
  /** What the fact must satisfy besides. */
  readonly filter?: Filter | undefined;
}

export interface LedgerQuery<M extends keyof LedgerEntry = keyof LedgerEntry> extends LedgerRange {
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
  /** What is read of each entry; all of it without. What is left out costs nothing. */
  readonly members?: readonly M[];
}

/** Where the ledger of a tenant ends. */
export interface LedgerHead {
  /** The highest number that was given out. 0 while there is none. */
  readonly number: number;
  /** Number of the newest fact, and stamp of the newest entry of the feed; null while there is no fact. */
  readonly newest: { readonly number: number; readonly feed: Hlc } | null;
  /** The newest fact with a link, and its number; null while there is none. Facts behind it have no link yet. */
  readonly linked: { readonly number: number; readonly link: FactLink } | null;
}
