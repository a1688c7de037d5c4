import { seek } from '../words/max-score.ts';
import { type PostingLists, TIMES_BITS } from '../words/posting-lists.ts';
import { LIST_HEAD, type SnapshotPlace, TAIL_HEAD } from './snapshot-format.ts';
import type { FrameWriter } from './snapshot-frames.ts';

const BLOCK_WORDS = 2 ** 18;
/** The number of lists examined before other work may run, whether or not they need a write. */
const LISTS_PER_TURN = 65_536;
const NOTHING = new Uint8Array(0);

/** Yields blocks with the postings that older lists got since the last write, then an empty block. */
export function* olderListFrames(
  writer: FrameWriter,
  lists: PostingLists,
  from: SnapshotPlace,
  to: SnapshotPlace,
): Generator<Uint8Array> {
  const block = new ListBlock(writer);
  for (let list = 0; list < from.lists; list += 1) {
    if (list % LISTS_PER_TURN === LISTS_PER_TURN - 1) yield NOTHING;
    // Most lists are short and old, so this check must be cheap.
    if (lists.lastOf(list) >>> TIMES_BITS < from.documents) continue;
    const postings = lists.postingsOf(list);
    const kept = upTo(postings.subarray(seek(postings, 0, from.documents)), to.documents);
    if (kept.length === 0) continue;
    yield* block.add([list, kept.length, lists.mostTimesOf(list), lists.shortestOf(list)], kept, TAIL_HEAD);
  }
  yield* block.end();
}

/** Yields the new lists in blocks, then an empty block. */
export function* newListFrames(
  writer: FrameWriter,
  lists: PostingLists,
  from: SnapshotPlace,
  to: SnapshotPlace,
): Generator<Uint8Array> {
  const block = new ListBlock(writer);
  for (let list = from.lists; list < to.lists; list += 1) {
    const kept = upTo(lists.postingsOf(list), to.documents);
    const { part, hi, lo } = lists.keyOf(list);
    const head = [part, hi, lo, kept.length, lists.mostTimesOf(list), lists.shortestOf(list)];
    yield* block.add(head, kept, LIST_HEAD);
  }
  yield* block.end();
}

const upTo = (postings: Uint32Array, documents: number): Uint32Array => {
  const { length } = postings;
  const isNewer = length > 0 && (postings[length - 1] as number) >>> TIMES_BITS >= documents;
  return isNewer ? postings.subarray(0, seek(postings, 0, documents)) : postings;
};

/** A block of lists, each after its head. */
class ListBlock {
  readonly #writer: FrameWriter;
  #words = new Uint32Array(BLOCK_WORDS);
  #used = 0;

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  *add(head: readonly number[], postings: Uint32Array, headWords: number): Generator<Uint8Array> {
    const length = headWords + postings.length;
    if (this.#used + length > this.#words.length) {
      yield* this.#frame();
      if (length > this.#words.length) this.#words = new Uint32Array(length);
    }
    for (let at = 0; at < headWords; at += 1) this.#words[this.#used + at] = head[at] as number;
    this.#words.set(postings, this.#used + headWords);
    this.#used += length;
  }

  *end(): Generator<Uint8Array> {
    yield* this.#frame();
    yield this.#writer.frame(NOTHING);
  }

  *#frame(): Generator<Uint8Array> {
    if (this.#used > 0) yield this.#writer.frame(new Uint8Array(this.#words.buffer, 0, this.#used * 4));
    this.#used = 0;
  }
}
