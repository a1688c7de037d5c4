import type { Hlc } from '../../../ports/ports.ts';
import type { DocumentLengths } from '../index/document-lengths.ts';
import type { IndexState } from '../index/index-state.ts';
import type { PagedRows } from '../index/paged-rows.ts';
import type { StampedList } from '../index/stamped-list.ts';
import { seek } from '../words/max-score.ts';
import { TIMES_BITS } from '../words/posting-lists.ts';
import {
  LENGTH_WORDS,
  LIST_HEAD,
  SNAPSHOT_END,
  SNAPSHOT_FORMAT,
  type SnapshotHeader,
  STAMPED_WORDS,
  type TableHeader,
} from './snapshot-format.ts';
import { FrameWriter } from './snapshot-frames.ts';

/**
 * Writes an index down, chunk by chunk, as it is now. The index may go on learning between chunks: what it learns
 * meanwhile is left to the feed after `applied`.
 */
export function* writeSnapshot(state: IndexState, applied: Hlc): Generator<Uint8Array> {
  const writer = new FrameWriter();
  const { documents, lists, catalog, lifetimes, covers, hasher } = state;
  const header: SnapshotHeader = {
    format: SNAPSHOT_FORMAT,
    seed: hasher.seed,
    applied,
    documents: documents.count,
    lists: lists.count,
    parts: catalog.parts.map(({ tenantId, scope, gardenId }) => ({ tenantId, scope, gardenId })),
    names: catalog.names(),
    otherIds: documents.ids.others(documents.count),
  };
  yield writer.json(header);
  yield* rowFrames(writer, documents.rows, header.documents);
  yield writer.frame(documents.norms.subarray(0, header.documents));
  yield writer.frame(wordsOf(lengthsBelow(documents.lengths, header.documents)));
  yield writer.frame(wordsOf(stampedWords(documents.received, header.documents)));
  yield* listFrames(writer, state, header);
  const lives: TableHeader = {
    count: lifetimes.rows.count,
    otherIds: lifetimes.ids.others(lifetimes.rows.count),
  };
  yield writer.json(lives);
  yield* rowFrames(writer, lifetimes.rows, lives.count);
  const covered: TableHeader = { count: covers.rows.count, otherIds: [] };
  yield writer.json(covered);
  yield* rowFrames(writer, covers.rows, covered.count);
  for (const part of catalog.parts.slice(0, header.parts.length)) {
    yield writer.frame(wordsOf(stampedWords(part.ended, part.countBelow(header.documents))));
  }
  yield writer.json(catalog.names());
  yield writer.json(SNAPSHOT_END);
}

const wordsOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

const lengthsBelow = ({ documents, lengths }: DocumentLengths, end: number): Uint32Array => {
  const count = documents.view().filter((document) => document < end).length;
  const words = new Uint32Array(count * LENGTH_WORDS);
  for (let at = 0; at < count; at += 1) words.set([documents.at(at), lengths.at(at)], at * LENGTH_WORDS);
  return words;
};

/** The numbers below `end` with their stamps. */
const stampedWords = (list: StampedList, end: number): Uint32Array => {
  const words = new Uint32Array(list.length * STAMPED_WORDS);
  let used = 0;
  for (let place = 0; place < list.length; place += 1) {
    const number = list.numbers.at(place);
    if (number >= end) continue;
    const { wallMs, counter } = list.stampAt(place);
    words.set([number, Math.floor(wallMs / WORD_RANGE), wallMs % WORD_RANGE, counter], used);
    used += STAMPED_WORDS;
  }
  return words.subarray(0, used);
};

const WORD_RANGE = 2 ** 32;

function* rowFrames(writer: FrameWriter, rows: PagedRows, count: number): Generator<Uint8Array> {
  for (const page of rows.bytes(count)) yield writer.frame(page);
}

const BLOCK_WORDS = 2 ** 18;

function* listFrames(writer: FrameWriter, { lists }: IndexState, header: SnapshotHeader): Generator<Uint8Array> {
  let block = new Uint32Array(BLOCK_WORDS);
  let used = 0;
  for (let list = 0; list < header.lists; list += 1) {
    const postings = lists.postingsOf(list);
    const { length } = postings;
    const isNewer = length > 0 && (postings[length - 1] as number) >>> TIMES_BITS >= header.documents;
    const kept = isNewer ? postings.subarray(0, seek(postings, 0, header.documents)) : postings;
    if (used + LIST_HEAD + kept.length > block.length) {
      if (used > 0) yield writer.frame(new Uint8Array(block.buffer, 0, used * 4));
      if (LIST_HEAD + kept.length > block.length) block = new Uint32Array(LIST_HEAD + kept.length);
      used = 0;
    }
    const { part, hi, lo } = lists.keyOf(list);
    block[used] = part;
    block[used + 1] = hi;
    block[used + 2] = lo;
    block[used + 3] = kept.length;
    block[used + 4] = lists.mostTimesOf(list);
    block[used + 5] = lists.shortestOf(list);
    block.set(kept, used + LIST_HEAD);
    used += LIST_HEAD + kept.length;
  }
  if (used > 0) yield writer.frame(new Uint8Array(block.buffer, 0, used * 4));
  yield writer.frame(new Uint8Array(0));
}
