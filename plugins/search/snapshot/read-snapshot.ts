import type { Hlc } from '../../../ports/ports.ts';
import { IndexState } from '../index/index-state.ts';
import type { PagedRows } from '../index/paged-rows.ts';
import {
  type CatalogNames,
  LIST_HEAD,
  SNAPSHOT_END,
  SNAPSHOT_FORMAT,
  type SnapshotHeader,
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
  parts.forEach((part, at) => {
    part.totalLength = header.parts[at]?.totalLength ?? 0;
  });
  await readRows(reader, state.documents.rows, header.documents);
  state.documents.restoreNorms(await reader.frame());
  await readLists(reader, state);
  const lives = await reader.json<TableHeader>();
  await readRows(reader, state.lifetimes.rows, lives.count);
  const covers = await reader.json<TableHeader>();
  await readRows(reader, state.covers.rows, covers.count);
  state.catalog.restoreNames(await reader.json<CatalogNames>());
  if ((await reader.json()) !== SNAPSHOT_END) throw new UnusableSnapshot('it ends too late');
  state.documents.ids.restore(header.otherIds);
  state.lifetimes.ids.restore(lives.otherIds);
  state.covers.restoreKeys();
  state.restoreLinks();
  return { state, applied: header.applied };
};

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
