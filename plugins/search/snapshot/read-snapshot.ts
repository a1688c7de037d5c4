import type { Hlc } from '../../../kernel/thread-api.ts';
import { IndexState } from '../index/index-state.ts';
import type { PagedRows } from '../index/paged-rows.ts';
import { type ByteSource, UnusableSnapshot } from './byte-source.ts';
import { readNewLists, readOlderLists } from './read-lists.ts';
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
import { FrameReader } from './snapshot-frames.ts';
import { placeOf } from './write-snapshot.ts';

export interface ReadSnapshot {
  readonly state: IndexState;
  readonly applied: Hlc;
  /** The start of the next segment. */
  readonly place: SnapshotPlace;
  /** The number of its first frame. */
  readonly frames: number;
}

/**
 * Builds an index from the segments of a snapshot. Throws `UnusableSnapshot` for one that is damaged, truncated, or of
 * another format or tokenizer.
 */
export const readSnapshot = async (source: ByteSource): Promise<ReadSnapshot> => {
  const reader = new FrameReader(source);
  try {
    return await readSegments(reader);
  } finally {
    await reader.close();
  }
};

/** State that is complete only after all segments are read. */
interface Gathered {
  readonly documentIds: (readonly [id: string, document: number])[];
  readonly lifeIds: (readonly [id: string, row: number])[];
  /** The content of the frames, in their order, for each part. */
  readonly ended: Uint8Array[][];
}

const readSegments = async (reader: FrameReader): Promise<ReadSnapshot> => {
  const first = await readHeader(reader, NOTHING_WRITTEN);
  const state = new IndexState(first.seed);
  const gathered: Gathered = { documentIds: [], lifeIds: [], ended: [] };
  let header = first;
  for (;;) {
    await readSegment(reader, state, header, gathered);
    if (reader.isAtEnd) break;
    header = await readHeader(reader, header.to);
  }
  state.documents.ids.restore(gathered.documentIds);
  state.lifetimes.ids.restore(gathered.lifeIds);
  state.covers.restoreKeys();
  state.restoreLinks();
  gathered.ended.forEach((frames, at) => {
    const { documents } = state.catalog.parts[at] as IndexState['catalog']['parts'][number];
    for (const { number, stamp } of frames.flatMap((frame) => [...stampedIn(frame)])) {
      state.restoreEnd(documents.at(number), stamp);
    }
  });
  for (const rows of [state.lifetimes.rows, state.lifetimes.formers, state.covers.rows]) rows.takeChanged();
  return { state, applied: header.applied, place: placeOf(state), frames: reader.next };
};

const readSegment = async (
  reader: FrameReader,
  state: IndexState,
  header: SegmentHeader,
  { documentIds, lifeIds, ended }: Gathered,
): Promise<void> => {
  const { from, to } = header;
  const { documents, catalog } = state;
  catalog.restoreNames(header.names);
  for (const name of header.parts) catalog.partOf(name);
  documentIds.push(...header.otherIds);
  await readRows(reader, documents.rows, to.documents - from.documents);
  const norms = documents.normsFrom(from.documents);
  await reader.frame(() => norms);
  for (const [document, length] of rowsIn(await reader.frame(), LENGTH_WORDS)) {
    documents.lengths.add(document as number, length as number);
  }
  for (const { number, stamp } of stampedIn(await reader.frame())) documents.received.push(number, stamp);
  await readOlderLists(reader, state.lists, from);
  await readNewLists(reader, state.lists, from, to);
  lifeIds.push(...(await readTable(reader, state.lifetimes.rows)).otherIds);
  await readTable(reader, state.lifetimes.formers);
  await readTable(reader, state.covers.rows);
  for (let part = 0; part < to.ended.length; part += 1) {
    const known = ended[part];
    if (known === undefined) ended.push([await reader.frame()]);
    else known.push(await reader.frame());
  }
  catalog.restoreNames(await reader.json<CatalogNames>());
  if ((await reader.json()) !== SEGMENT_END) throw new UnusableSnapshot('it ends too late');
};

const readHeader = async (reader: FrameReader, place: SnapshotPlace): Promise<SegmentHeader> => {
  const header = await reader.json<SegmentHeader>();
  if (header.format !== SNAPSHOT_FORMAT) throw new UnusableSnapshot('it was made by another version of the index');
  const isNext = header.from.documents === place.documents && header.from.lists === place.lists;
  if (!isNext) throw new UnusableSnapshot('its segments do not follow one another');
  return header;
};

const readTable = async (reader: FrameReader, rows: PagedRows): Promise<TableHeader> => {
  const header = await reader.json<TableHeader>();
  if (header.from !== rows.count) throw new UnusableSnapshot('its segments do not follow one another');
  const changed = await reader.frame();
  const words = new Uint32Array(changed.buffer, changed.byteOffset, changed.length / 4);
  header.changed.forEach((row, at) => {
    rows.wordsOf(row).set(words.subarray(at * rows.rowWords, (at + 1) * rows.rowWords), rows.wordAt(row));
  });
  await readRows(reader, rows, header.count - header.from);
  return header;
};

const readRows = (reader: FrameReader, rows: PagedRows, count: number): Promise<void> =>
  rows.restore(count, async (into) => void (await reader.frame(() => into)));

function* rowsIn(frame: Uint8Array, rowWords: number): Generator<Uint32Array> {
  const words = new Uint32Array(frame.buffer, frame.byteOffset, frame.length / 4);
  for (let at = 0; at < words.length; at += rowWords) yield words.subarray(at, at + rowWords);
}

function* stampedIn(frame: Uint8Array): Generator<{ readonly number: number; readonly stamp: Hlc }> {
  for (const [number = 0, high = 0, low = 0, counter = 0] of rowsIn(frame, STAMPED_WORDS)) {
    yield { number, stamp: { wallMs: high * WORD_RANGE + low, counter } };
  }
}

const WORD_RANGE = 2 ** 32;
