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
 * Documents near the seeds in their sessions, by number, with the most that any seed gives them: what is said between
 * many weak seeds is not the more to the point for it. Distance counts those facts of the session that the view may
 * find, over all opened parts together.
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
  const sessions: KnownSessions = new Map();
  for (const { id, score } of seeds) {
    const seed = state.documentOf({ tenantId, id });
    if (seed < 0 || seed >= filter.end || !open.has(state.documents.word(seed, PART))) continue;
    for (const side of bothSides(state, seed, weights.length, filter, sessions)) {
      side.forEach((document, at) => {
        const given = score * (weights[at] as number);
        if (given > (scores.get(document) ?? 0)) scores.set(document, given);
      });
    }
  }
  return scores;
};

/** By session, what each opened part holds of it: found once for all documents of a session. */
export type KnownSessions = Map<string, readonly Uint32Array[]>;

/** Up to `count` documents before and after a document in its session that the view may find, nearest first. */
export const bothSides = (
  state: IndexState,
  document: number,
  count: number,
  filter: ViewFilter,
  sessions: KnownSessions,
): readonly [readonly number[], readonly number[]] => {
  const lists = listsOf(state, document, filter, sessions);
  return [nearest(lists, document, -1, count, filter), nearest(lists, document, 1, count, filter)];
};

/** What the session of a document holds in each opened part. */
const listsOf = (
  state: IndexState,
  document: number,
  filter: ViewFilter,
  sessions: KnownSessions,
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
