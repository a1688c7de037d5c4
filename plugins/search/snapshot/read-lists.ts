import type { PostingLists } from '../words/posting-lists.ts';
import { LIST_HEAD, type SnapshotPlace, TAIL_HEAD } from './snapshot-format.ts';
import type { FrameReader } from './snapshot-frames.ts';

/** Reads the output of `olderListFrames`. */
export const readOlderLists = (reader: FrameReader, lists: PostingLists, from: SnapshotPlace): Promise<void> => {
  const bounds = { mostTimes: 0, shortest: 0 };
  return eachBlock(reader, (words) => {
    for (let at = 0; at < words.length; ) {
      const list = words[at] as number;
      const first = at + TAIL_HEAD;
      bounds.mostTimes = words[at + 2] as number;
      bounds.shortest = words[at + 3] as number;
      at = first + (words[at + 1] as number);
      if (list < from.lists) lists.extend(list, bounds, words, first, at);
    }
  });
};

/** Reads the output of `newListFrames`. */
export const readNewLists = (
  reader: FrameReader,
  lists: PostingLists,
  from: SnapshotPlace,
  to: SnapshotPlace,
): Promise<void> => {
  // Reuses one object, because there are at least as many lists as facts.
  const key = { part: 0, hi: 0, lo: 0 };
  const bounds = { mostTimes: 0, shortest: 0 };
  if (from.lists === 0) lists.reserve(to.lists);
  return eachBlock(reader, (words) => {
    for (let at = 0; at < words.length; ) {
      key.part = words[at] as number;
      key.hi = words[at + 1] as number;
      key.lo = words[at + 2] as number;
      bounds.mostTimes = words[at + 4] as number;
      bounds.shortest = words[at + 5] as number;
      const first = at + LIST_HEAD;
      at = first + (words[at + 3] as number);
      lists.restore(key, bounds, words, first, at);
    }
  });
};

/** Passes the words of each block to `take`. All blocks reuse one buffer. */
const eachBlock = async (reader: FrameReader, take: (words: Uint32Array) => void): Promise<void> => {
  let room = new Uint8Array(0);
  for (;;) {
    const block = await reader.frame((length) => {
      if (length > room.length) room = new Uint8Array(length);
      return room.subarray(0, length);
    });
    if (block.length === 0) return;
    take(new Uint32Array(block.buffer, 0, block.length / 4));
  }
};
