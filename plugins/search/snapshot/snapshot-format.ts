import type { Hlc } from '../../../kernel/thread-api.ts';
import type { PartName } from '../index/index-part.ts';
import type { HashSeed } from '../index/text-hash.ts';
import { TOKENIZER_VERSION } from '../words/term-reader.ts';

/**
 * A snapshot holds an index as one segment or several. Each segment has the changes since the one before. Numbers are
 * in the byte order of the machine. The frames of a segment, in order:
 *
 * 1. this header
 * 2. rows of documents by pages, then their norms, the lengths of long documents, and the stamps of received ones
 * 3. additions to older lists in blocks, then an empty block
 * 4. new lists in blocks, then an empty block
 * 5. times to live, then replaced ones, then covers; each has a `TableHeader`, the changed rows, and the new rows by
 *    pages
 * 6. stamps of the documents that have ended, part by part
 * 7. `CatalogNames`, then `SEGMENT_END`
 *
 * Documents, lists and ends belong to the moment when writing began. Times to live, covers and names may be newer: the
 * index reads the feed after `applied` again, and a second reading changes nothing.
 */
export interface SegmentHeader {
  readonly format: string;
  /** All keys of lists and rows are hashed under this seed. */
  readonly seed: HashSeed;
  /** The segment holds every change of the feed up to this stamp. */
  readonly applied: Hlc;
  /** The end of the previous segment. */
  readonly from: SnapshotPlace;
  readonly to: SnapshotPlace;
  /** The parts that this segment adds. */
  readonly parts: readonly PartName[];
  readonly names: CatalogNames;
  /** Identifiers that are not UUIDs, with their documents. */
  readonly otherIds: readonly (readonly [id: string, document: number])[];
}

/** A boundary between two segments: what the index holds before it. */
export interface SnapshotPlace {
  readonly documents: number;
  readonly lists: number;
  readonly tenants: number;
  readonly gardens: number;
  /** For each part, the number of its documents that have ended. */
  readonly ended: readonly number[];
}

export const NOTHING_WRITTEN: SnapshotPlace = { documents: 0, lists: 0, tenants: 0, gardens: 0, ended: [] };

/** New names, in the order of their numbers. */
export interface CatalogNames {
  readonly tenants: readonly string[];
  readonly gardens: readonly string[];
}

export interface TableHeader {
  /** The number of rows in older segments, some of which have changed since. */
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

/** The format version with everything that reader and writer must have in common. */
export const SNAPSHOT_FORMAT = `fact index 10, tokenizer ${TOKENIZER_VERSION}, ${byteOrder}-endian`;
