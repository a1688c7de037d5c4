import type { IndexPart } from '../index/index-part.ts';
import type { IndexState } from '../index/index-state.ts';
import type { ViewFilter } from '../index/view-filter.ts';
import { seek } from './max-score.ts';
import { TIMES_BITS } from './posting-lists.ts';

/** Returns the postings of a list, limited to the documents of the searched moment. */
export const postingsOf = ({ lists, documents }: IndexState, list: number, { end }: ViewFilter): Uint32Array => {
  const postings = lists.postingsOf(list);
  return end === documents.count ? postings : postings.subarray(0, seek(postings, 0, end));
};

/** Counts the documents of a part, of the searched moment and not withheld, that hold the term of a list. */
export const frequencyOf = (state: IndexState, list: number, part: IndexPart, filter: ViewFilter): number => {
  const postings = postingsOf(state, list, filter);
  const withheld = state.withheld.postingsIn(list);
  if (withheld === 0 || filter.end === state.documents.count) return postings.length - withheld;
  // Reads the shorter of the two lists.
  if (part.withheld.size * STEPS_PER_SEEK < postings.length) {
    let count = postings.length;
    for (const ordinal of part.withheld.keys()) if (holds(postings, part.documents.at(ordinal))) count -= 1;
    return count;
  }
  const bits = filter.withheldBits();
  let count = 0;
  for (let at = 0; at < postings.length; at += 1) {
    const document = (postings[at] as number) >>> TIMES_BITS;
    if ((((bits[document >>> 5] as number) >>> (document & 31)) & 1) === 0) count += 1;
  }
  return count;
};

const STEPS_PER_SEEK = 32;

const holds = (postings: Uint32Array, document: number): boolean => {
  const at = seek(postings, 0, document);
  return at < postings.length && (postings[at] as number) >>> TIMES_BITS === document;
};
