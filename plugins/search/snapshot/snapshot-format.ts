import type { Hlc } from '../../../kernel/thread-api.ts';
import type { PartName } from '../index/index-part.ts';
import type { HashSeed } from '../index/text-hash.ts';
import { TOKENIZER_VERSION } from '../words/term-reader.ts';

/**
 * A snapshot holds an index as one segment or several: each has the changes since the one before. Frames of a segment,
 * in order: this header; rows of documents by pages; their norms; the lengths of long ones, and the stamps of received
 * ones; what older lists have got, in blocks, and an empty block; new lists, in blocks, and an empty block; times to
 * live and covers, each a `TableHeader`, rows that have changed, and new rows by pages; stamps of those that have
 * ended, part by part; `CatalogNames`; `SEGMENT_END`. Numbers are in the byte order of the machine.
 *
 * Documents, lists and ends are those of the moment when writing began. Times to live, covers and names may be newer:
 * the feed after `applied` comes again, and taking it in twice changes nothing.
 */
export interface SegmentHeader {
  readonly format: string;
  /** Under which all keys of lists and rows are hashed. */
  readonly seed: HashSeed;
  /** Stamp of the feed up to which everything is in. */
  readonly applied: Hlc;
  /** Where the segment before ends. */
  readonly from: SnapshotPlace;
  readonly to: SnapshotPlace;
  /** Those that are new. */
  readonly parts: readonly PartName[];
  readonly names: CatalogNames;
  /** Identifiers that are no UUIDs, with their documents. */
  readonly otherIds: readonly (readonly [id: string, document: number])[];
}

/** How much of an index was written down: numbers of its documents, lists and ends. */
export interface SnapshotPlace {
  readonly documents: number;
  readonly lists: number;
  readonly tenants: number;
  readonly gardens: number;
  /** Of the documents of each part, those that have ended. */
  readonly ended: readonly number[];
}

export const NOTHING_WRITTEN: SnapshotPlace = { documents: 0, lists: 0, tenants: 0, gardens: 0, ended: [] };

/** New names, in the order of their numbers. */
export interface CatalogNames {
  readonly tenants: readonly string[];
  readonly gardens: readonly string[];
}

export interface TableHeader {
  /** Rows that there were, of which some have changed. */
  readonly from: number;
  readonly count: number;
  readonly changed: readonly number[];
  readonly otherIds: readonly (readonly [id: string, row: number])[];
}

/** Words of a long document in its frame: its number and its length. */
export const LENGTH_WORDS = 2;
/** Words of a stamped number in its frame: the number, both halves of the milliseconds, the counter. */
export const STAMPED_WORDS = 4;

export const SEGMENT_END = 'end of the segment';

/** Words before the postings of a new list: part, both halves of the key, length, most times and shortest norms. */
export const LIST_HEAD = 6;
/** Words before the new postings of an older list: its number, length, most times and shortest norms. */
export const TAIL_HEAD = 4;

const byteOrder = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

/** Names all that a reader must have in common with the writer. */
export const SNAPSHOT_FORMAT = `fact index 5, tokenizer ${TOKENIZER_VERSION}, ${byteOrder}-endian`;
