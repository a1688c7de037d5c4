import type { Hlc } from '../../../ports/ports.ts';
import type { PartName } from '../index/index-part.ts';
import type { HashSeed } from '../index/text-hash.ts';
import { TOKENIZER_VERSION } from '../words/term-reader.ts';

/**
 * Frames of a snapshot, in order: this header; rows of documents by pages; their norms; the lengths of long ones, and
 * the stamps of received ones; lists in blocks, and an empty block; times to live and covers, each a `TableHeader` and
 * rows by pages; stamps of those that have ended, part by part; `CatalogNames`; `SNAPSHOT_END`. Numbers are in the byte
 * order of the machine.
 *
 * Documents and lists are those of the moment when writing began. Times to live, covers, ends and names may be newer:
 * what is read of the feed after `applied` comes again, and taking it in twice changes nothing.
 */
export interface SnapshotHeader {
  readonly format: string;
  /** Under which all keys of lists and rows are hashed. */
  readonly seed: HashSeed;
  /** Stamp of the feed up to which everything is in. */
  readonly applied: Hlc;
  readonly documents: number;
  readonly lists: number;
  readonly parts: readonly PartName[];
  readonly names: CatalogNames;
  /** Identifiers that are no UUIDs, with their documents. */
  readonly otherIds: readonly (readonly [id: string, document: number])[];
}

export interface CatalogNames {
  readonly tenants: readonly string[];
  readonly gardens: readonly string[];
}

export interface TableHeader {
  readonly count: number;
  readonly otherIds: readonly (readonly [id: string, row: number])[];
}

/** Words of a long document in its frame: its number and its length. */
export const LENGTH_WORDS = 2;
/** Words of a stamped number in its frame: the number, both halves of the milliseconds, the counter. */
export const STAMPED_WORDS = 4;

export const SNAPSHOT_END = 'end of the snapshot';

/**
 * Words before the postings of a list in a block: part, both halves of the key, length, most times and shortest norms.
 */
export const LIST_HEAD = 6;

const byteOrder = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

/** Names all that a reader must have in common with the writer. */
export const SNAPSHOT_FORMAT = `fact index 4, tokenizer ${TOKENIZER_VERSION}, ${byteOrder}-endian`;
