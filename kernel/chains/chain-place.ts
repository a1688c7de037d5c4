import type { FactLink } from '../../ports/ports.ts';

/** A link in a chain of a tenant: a position from 1 without gaps, and a hash of 32 bytes. */
export type ChainLink = FactLink;

/** A position in a chain of a tenant. */
export interface ChainPlace {
  /** The ledger number of the linked entry, within its tenant. */
  readonly number: number;
  readonly link: ChainLink;
}

/** Formats a hash as `sha256:<hex>`. */
export const hashText = (hash: Uint8Array): string =>
  `sha256:${Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')}`;

/** Parses the output of `hashText`. */
export const hashBytes = (text: string): Uint8Array => Buffer.from(text.slice('sha256:'.length), 'hex');

/** Compares two links; true also when both are undefined. */
export const isSameLink = (a: ChainLink | undefined, b: ChainLink | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.seq === b.seq && Buffer.compare(a.hash, b.hash) === 0;
