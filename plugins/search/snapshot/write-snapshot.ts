import type { Hlc } from '../../../kernel/thread-api.ts';
import type { DocumentLengths } from '../index/document-lengths.ts';
import type { IdTable } from '../index/id-table.ts';
import type { IndexState } from '../index/index-state.ts';
import type { PagedRows } from '../index/paged-rows.ts';
import { firstPlace, type StampedList } from '../index/stamped-list.ts';
import {
  type CatalogNames,
  LENGTH_WORDS,
  NOTHING_WRITTEN,
  SEGMENT_END,
  type SegmentHeader,
  SNAPSHOT_FORMAT,
  type SnapshotPlace,
  STAMPED_WORDS,
  type TableHeader,
} from './snapshot-format.ts';
import { FrameWriter } from './snapshot-frames.ts';
import { newListFrames, olderListFrames } from './write-lists.ts';

export interface SnapshotOptions {
  /** The end of the previous segment; everything is written by default. */
  readonly since?: SnapshotPlace | undefined;
  /** The number of the first frame. Segments of one file continue the numbers. */
  readonly firstFrame?: number | undefined;
}

/** A segment in the process of being written. */
export interface WrittenSegment {
  /** The position up to which the segment is complete. */
  readonly to: SnapshotPlace;
  /** An empty chunk yields to other work. */
  readonly chunks: Generator<Uint8Array>;
  readonly writer: FrameWriter;
}

/**
 * Writes the additions to an index since a position, chunk by chunk. The index may change between chunks. Documents,
 * lists and ends are written as of the time of the call; tables and names may be newer. Reading the feed after
 * `applied` repeats those changes. Each change of an older row is written in one segment only. So after a segment was
 * lost, the next write must start from the beginning.
 */
export const beginSegment = (state: IndexState, applied: Hlc, options: SnapshotOptions = {}): WrittenSegment => {
  const { since = NOTHING_WRITTEN, firstFrame = 0 } = options;
  const { documents, catalog } = state;
  const to = placeOf(state);
  const writer = new FrameWriter(firstFrame);
  const header: SegmentHeader = {
    format: SNAPSHOT_FORMAT,
    seed: state.hasher.seed,
    applied,
    from: since,
    to,
    parts: catalog.parts
      .slice(since.ended.length)
      .map(({ tenantId, scope, gardenId }) => ({ tenantId, scope, gardenId })),
    names: namesAfter(state, since),
    otherIds: documents.ids.others(since.documents, to.documents),
  };
  return { to, writer, chunks: frames(state, writer, header) };
};

/** Returns the present size of an index, as a position in its snapshot. */
export const placeOf = ({ documents, lists, catalog }: IndexState): SnapshotPlace => {
  const { tenants, gardens } = catalog.names();
  return {
    documents: documents.count,
    lists: lists.count,
    tenants: tenants.length,
    gardens: gardens.length,
    ended: catalog.parts.map(({ ended }) => ended.length),
  };
};

const namesAfter = ({ catalog }: IndexState, { tenants, gardens }: SnapshotPlace): CatalogNames => {
  const names = catalog.names();
  return { tenants: names.tenants.slice(tenants), gardens: names.gardens.slice(gardens) };
};

interface WrittenTable {
  readonly rows: PagedRows;
  readonly ids?: IdTable;
}

function* frames(state: IndexState, writer: FrameWriter, header: SegmentHeader): Generator<Uint8Array> {
  const { documents, catalog, lifetimes, covers } = state;
  const { from, to } = header;
  yield writer.json(header);
  for (const page of documents.rows.bytes(from.documents, to.documents)) yield writer.frame(page);
  yield writer.frame(documents.norms.subarray(from.documents, to.documents));
  yield writer.frame(bytesOf(lengthsIn(documents.lengths, from.documents, to.documents)));
  yield writer.frame(bytesOf(receivedIn(documents.received, from.documents, to.documents)));
  yield* olderListFrames(writer, state.lists, from, to);
  yield* newListFrames(writer, state.lists, from, to);
  // A row of the first table names rows of the second one, so that one is written later.
  for (const table of [lifetimes, { rows: lifetimes.formers }, covers]) {
    yield* tableFrames(writer, table, from === NOTHING_WRITTEN);
  }
  for (const [part, end] of to.ended.entries()) {
    const { ended } = catalog.parts[part] as IndexState['catalog']['parts'][number];
    yield writer.frame(bytesOf(stampedIn(ended, from.ended[part] ?? 0, end)));
  }
  yield writer.json(namesAfter(state, to));
  yield writer.json(SEGMENT_END);
}

/** Writes a table as it is now, not as it was when the segment began. */
function* tableFrames(writer: FrameWriter, { rows, ids }: WrittenTable, isAll: boolean): Generator<Uint8Array> {
  const from = isAll ? 0 : rows.written;
  const known = rows.takeChanged();
  const changed = isAll ? [] : known;
  const { count, rowWords } = rows;
  const header: TableHeader = { from, count, changed, otherIds: ids?.others(from, count) ?? [] };
  yield writer.json(header);
  const words = new Uint32Array(changed.length * rowWords);
  changed.forEach((row, at) => {
    words.set(rows.wordsOf(row).subarray(rows.wordAt(row), rows.wordAt(row) + rowWords), at * rowWords);
  });
  yield writer.frame(bytesOf(words));
  for (const page of rows.bytes(from, count)) yield writer.frame(page);
}

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** Returns the lengths of the long documents from one number up to another. */
const lengthsIn = ({ documents, lengths }: DocumentLengths, from: number, to: number): Uint32Array => {
  const placeOfDocument = (end: number) => firstPlace(documents.length, (place) => documents.at(place) >= end);
  const [first, last] = [placeOfDocument(from), placeOfDocument(to)];
  const words = new Uint32Array((last - first) * LENGTH_WORDS);
  for (let at = first; at < last; at += 1) words.set([documents.at(at), lengths.at(at)], (at - first) * LENGTH_WORDS);
  return words;
};

/** Yields the received documents from one number up to another, and their stamps. */
const receivedIn = (list: StampedList, from: number, to: number): Uint32Array => {
  const placeOfDocument = (end: number) => firstPlace(list.length, (place) => list.numbers.at(place) >= end);
  return stampedIn(list, placeOfDocument(from), placeOfDocument(to));
};

/** Yields the numbers from one index up to another, with their stamps. */
const stampedIn = (list: StampedList, from: number, to: number): Uint32Array => {
  const words = new Uint32Array((to - from) * STAMPED_WORDS);
  for (let place = from; place < to; place += 1) {
    const { wallMs, counter } = list.stampAt(place);
    const stamped = [list.numbers.at(place), Math.floor(wallMs / WORD_RANGE), wallMs % WORD_RANGE, counter];
    words.set(stamped, (place - from) * STAMPED_WORDS);
  }
  return words;
};

const WORD_RANGE = 2 ** 32;
