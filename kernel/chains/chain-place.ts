import type { FactLink } from '../../ports/ports.ts';

/** A link of any chain of a tenant: its place in it, from 1 without gaps, and 32 bytes. */
export type ChainLink = FactLink;

/** A place in a chain of a tenant. */
export interface ChainPlace {
  /** Ledger number of the linked entry, within its tenant. */
  readonly number: number;
  readonly link: ChainLink;
}

/** `sha256:<hex>` */
export const hashText = (hash: Uint8Array): string =>
  `sha256:${Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')}`;

/** The bytes of a `hashText`. */
export const hashBytes = (text: string): Uint8Array => Buffer.from(text.slice('sha256:'.length), 'hex');

/** True also when neither exists. */
export const isSameLink = (a: ChainLink | undefined, b: ChainLink | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.seq === b.seq && Buffer.compare(a.hash, b.hash) === 0;
