import type { Hit } from '../search-api.ts';
import { seek } from '../words/max-score.ts';
import { TIMES_BITS } from '../words/posting-lists.ts';
import { postingsOf } from '../words/postings-then.ts';
import { PART, SESSION } from './document-table.ts';
import type { IndexState } from './index-state.ts';
import type { ViewFilter } from './view-filter.ts';

/** What a fact beside a seed gets of its score, by their distance. */
export const NEIGHBOUR_WEIGHTS: readonly number[] = [0.4, 0.3, 0.2, 0.1];
/** Facts that the view leaves out are passed over, as far as this. */
const MOST_PASSED = 256;

/**
 * Documents near the seeds in their sessions, by number, with what all seeds give them. Distance counts those facts of
 * the session that the view may find, over all opened parts together.
 */
export const sessionNeighbours = (
  state: IndexState,
  tenantId: string,
  seeds: readonly Hit[],
  filter: ViewFilter,
  weights: readonly number[] = NEIGHBOUR_WEIGHTS,
): Map<number, number> => {
  const scores = new Map<number, number>();
  const open = new Set(filter.parts.map(({ number }) => number));
  const sessions = new Map<string, Uint32Array[]>();
  for (const { id, score } of seeds) {
    const seed = state.documentOf({ tenantId, id });
    if (seed < 0 || seed >= filter.end || !open.has(state.documents.word(seed, PART))) continue;
    const lists = listsOf(state, seed, filter, sessions);
    for (const direction of [-1, 1] as const) {
      nearest(lists, seed, direction, weights.length, filter).forEach((document, at) => {
        scores.set(document, (scores.get(document) ?? 0) + score * (weights[at] as number));
      });
    }
  }
  return scores;
};

/** What the session of a document holds in each opened part. */
const listsOf = (
  state: IndexState,
  document: number,
  filter: ViewFilter,
  sessions: Map<string, Uint32Array[]>,
): readonly Uint32Array[] => {
  const hi = state.documents.word(document, SESSION);
  const lo = state.documents.word(document, SESSION + 1);
  if (hi === 0 && lo === 0) return [];
  const key = `${hi}:${lo}`;
  const known = sessions.get(key);
  if (known !== undefined) return known;
  const lists = filter.parts.flatMap(({ number }) => {
    const list = state.lists.find(number, hi, lo);
    return list < 0 ? [] : [postingsOf(state, list, filter)];
  });
  sessions.set(key, lists);
  return lists;
};

/** Up to `count` documents on one side of a document, nearest first. */
const nearest = (
  lists: readonly Uint32Array[],
  document: number,
  direction: -1 | 1,
  count: number,
  filter: ViewFilter,
): number[] => {
  const found: number[] = [];
  for (const list of lists) {
    let at = direction < 0 ? seek(list, 0, document) - 1 : seek(list, 0, document + 1);
    let taken = 0;
    for (let step = 0; step < MOST_PASSED && taken < count && at >= 0 && at < list.length; step += 1, at += direction) {
      const other = (list[at] as number) >>> TIMES_BITS;
      if (!filter.accepts(other)) continue;
      found.push(other);
      taken += 1;
    }
  }
  return found.sort((a, b) => direction * (a - b)).slice(0, count);
};
