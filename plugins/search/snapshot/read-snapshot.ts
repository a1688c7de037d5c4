import type { Hlc } from '../../../ports/ports.ts';
import { IndexState } from '../index/index-state.ts';
import type { PagedRows } from '../index/paged-rows.ts';
import {
  type CatalogNames,
  LENGTH_WORDS,
  LIST_HEAD,
  SNAPSHOT_END,
  SNAPSHOT_FORMAT,
  type SnapshotHeader,
  STAMPED_WORDS,
  type TableHeader,
} from './snapshot-format.ts';
import { FrameReader, UnusableSnapshot } from './snapshot-frames.ts';

/**
 * Makes an index of what `writeSnapshot` wrote. Throws `UnusableSnapshot` for one that is damaged, cut short, or of
 * another format or tokenizer; there is no index then.
 */
export const readSnapshot = async (
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ readonly state: IndexState; readonly applied: Hlc }> => {
  const reader = new FrameReader(chunks);
  try {
    return await readState(reader);
  } finally {
    await reader.close();
  }
};

const readState = async (reader: FrameReader): Promise<{ readonly state: IndexState; readonly applied: Hlc }> => {
  const header = await readHeader(reader);
  const state = new IndexState(header.seed);
  state.catalog.restoreNames(header.names);
  const parts = header.parts.map((name) => state.catalog.partOf(name));
  await readRows(reader, state.documents.rows, header.documents);
  state.documents.restoreNorms(await reader.frame());
  for (const [document, length] of rowsIn(await reader.frame(), LENGTH_WORDS)) {
    state.documents.lengths.add(document as number, length as number);
  }
  for (const { number, stamp } of stampedIn(await reader.frame())) state.documents.received.push(number, stamp);
  await readLists(reader, state);
  const lives = await reader.json<TableHeader>();
  await readRows(reader, state.lifetimes.rows, lives.count);
  const covers = await reader.json<TableHeader>();
  await readRows(reader, state.covers.rows, covers.count);
  const ended: Uint8Array<ArrayBuffer>[] = [];
  for (const _ of parts) ended.push(await reader.frame());
  state.catalog.restoreNames(await reader.json<CatalogNames>());
  if ((await reader.json()) !== SNAPSHOT_END) throw new UnusableSnapshot('it ends too late');
  state.documents.ids.restore(header.otherIds);
  state.lifetimes.ids.restore(lives.otherIds);
  state.covers.restoreKeys();
  state.restoreLinks();
  parts.forEach((part, at) => {
    for (const { number, stamp } of stampedIn(ended[at] as Uint8Array<ArrayBuffer>)) {
      state.restoreEnd(part.documents.at(number), stamp);
    }
  });
  return { state, applied: header.applied };
};

function* rowsIn(frame: Uint8Array<ArrayBuffer>, rowWords: number): Generator<Uint32Array> {
  const words = new Uint32Array(frame.buffer);
  for (let at = 0; at < words.length; at += rowWords) yield words.subarray(at, at + rowWords);
}

function* stampedIn(frame: Uint8Array<ArrayBuffer>): Generator<{ readonly number: number; readonly stamp: Hlc }> {
  for (const [number = 0, high = 0, low = 0, counter = 0] of rowsIn(frame, STAMPED_WORDS)) {
    yield { number, stamp: { wallMs: high * WORD_RANGE + low, counter } };
  }
}

const WORD_RANGE = 2 ** 32;

const readHeader = async (reader: FrameReader): Promise<SnapshotHeader> => {
  const header = await reader.json<SnapshotHeader>();
  if (header.format !== SNAPSHOT_FORMAT) throw new UnusableSnapshot('it was made by another version of the index');
  return header;
};

const readRows = (reader: FrameReader, rows: PagedRows, count: number): Promise<void> =>
  rows.restore(count, () => reader.frame());

const readLists = async (reader: FrameReader, { lists }: IndexState): Promise<void> => {
  for (;;) {
    const block = await reader.frame();
    if (block.length === 0) return;
    const words = new Uint32Array(block.buffer);
    for (let at = 0; at < words.length; ) {
      const [part = 0, hi = 0, lo = 0, length = 0, most = 0, shortest = 0] = words.subarray(at, at + LIST_HEAD);
      const postings = words.subarray(at + LIST_HEAD, at + LIST_HEAD + length);
      lists.restore(part, hi, lo, postings, most, shortest);
      at += LIST_HEAD + length;
    }
  }
};
