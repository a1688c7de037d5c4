import type { IndexPart } from '../index/index-part.ts';
import type { IndexState } from '../index/index-state.ts';
import type { ViewFilter } from '../index/view-filter.ts';
import { seek } from './max-score.ts';
import { TIMES_BITS } from './posting-lists.ts';

/** The postings of a list, of the documents that were there. */
export const postingsOf = ({ lists, documents }: IndexState, list: number, { end }: ViewFilter): Uint32Array => {
  const postings = lists.postingsOf(list);
  return end === documents.count ? postings : postings.subarray(0, seek(postings, 0, end));
};

/** How many documents of a part that were there, and are not withheld, hold the term of a list. */
export const frequencyOf = (state: IndexState, list: number, part: IndexPart, filter: ViewFilter): number => {
  const postings = postingsOf(state, list, filter);
  const withheld = state.withheld.postingsIn(list);
  if (withheld === 0 || filter.end === state.documents.count) return postings.length - withheld;
  // The shorter of the two is walked.
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
