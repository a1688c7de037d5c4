import type { Together } from '../search-api.ts';
import { seek } from '../words/max-score.ts';
import { TIMES_BITS } from '../words/posting-lists.ts';
import { postingsOf } from '../words/postings-then.ts';
import { type QueryTerm, queryTermsIn } from '../words/search-words.ts';
import { PART } from './document-table.ts';
import type { IndexState } from './index-state.ts';
import { bothSides, type KnownSessions } from './session-neighbours.ts';
import type { ViewFilter } from './view-filter.ts';

/**
 * What a word of the query counts by the distance of the fact that holds it: what is asked for in one sentence is often
 * said in several.
 */
export const TOGETHER_WEIGHTS: readonly [number, ...number[]] = [1, 0.7, 0.4];

/**
 * The given facts that have others beside them in their sessions, each with the share of the query that it covers with
 * them. Sessions count what the view may find, and words weigh what they weigh over the opened parts.
 */
export const wordsTogether = (
  state: IndexState,
  query: string,
  ids: readonly string[],
  tenantId: string,
  filter: ViewFilter,
): Together[] => {
  const surrounded = withSurroundings(state, ids, tenantId, filter);
  const words = byWord(queryTermsIn(state, query, filter));
  const total = words.reduce((sum, [{ weight }]) => sum + weight, 0);
  if (total === 0) return surrounded.map(({ id }) => ({ id, share: 0 }));
  const documents = byPart(
    state,
    surrounded.flatMap(({ rings }) => rings.flat()),
  );
  const shares = surrounded.map(() => 0);
  for (const forms of words) {
    const [{ weight }] = forms;
    const holders = new Set(forms.flatMap((term) => [...holdersOf(state, term, documents, filter)]));
    surrounded.forEach(({ rings }, at) => {
      const nearest = rings.findIndex((ring) => ring.some((document) => holders.has(document)));
      if (nearest >= 0) shares[at] = (shares[at] as number) + (TOGETHER_WEIGHTS[nearest] as number) * weight;
    });
  }
  return surrounded.map(({ id }, at) => ({ id, share: Math.min(1, (shares[at] as number) / total) }));
};

type Forms = [QueryTerm, ...QueryTerm[]];

/** The forms of each word, which weigh the same. */
const byWord = (terms: readonly QueryTerm[]): readonly Forms[] => {
  const words = new Map<number, Forms>();
  for (const term of terms) {
    const forms = words.get(term.word);
    if (forms === undefined) words.set(term.word, [term]);
    else forms.push(term);
  }
  return [...words.values()];
};

/** A fact, and the documents by their distance from it: itself, those beside it, and so on. */
interface Surrounded {
  readonly id: string;
  readonly rings: readonly (readonly number[])[];
}

const withSurroundings = (
  state: IndexState,
  ids: readonly string[],
  tenantId: string,
  filter: ViewFilter,
): readonly Surrounded[] => {
  const open = new Set(filter.parts.map(({ number }) => number));
  const sessions: KnownSessions = new Map();
  const reach = TOGETHER_WEIGHTS.length - 1;
  return ids.flatMap((id) => {
    const document = state.documentOf({ tenantId, id });
    if (document < 0 || document >= filter.end || !open.has(state.documents.word(document, PART))) return [];
    const [before, after] = bothSides(state, document, reach, filter, sessions);
    if (before.length === 0 && after.length === 0) return [];
    const beside = Array.from({ length: reach }, (_, at) => [...before.slice(at, at + 1), ...after.slice(at, at + 1)]);
    return [{ id, rings: [[document], ...beside] }];
  });
};

/** Distinct documents by the number of their part, ascending. */
const byPart = (state: IndexState, documents: readonly number[]): ReadonlyMap<number, readonly number[]> => {
  const parts = new Map<number, number[]>();
  for (const document of [...new Set(documents)].sort((a, b) => a - b)) {
    const part = state.documents.word(document, PART);
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [document]);
    else known.push(document);
  }
  return parts;
};

/** Those of the documents that hold a term. */
const holdersOf = (
  state: IndexState,
  { lists }: QueryTerm,
  documents: ReadonlyMap<number, readonly number[]>,
  filter: ViewFilter,
): ReadonlySet<number> => {
  const holders = new Set<number>();
  for (const [{ number }, list] of lists) {
    const postings = postingsOf(state, list, filter);
    let at = 0;
    for (const document of documents.get(number) ?? []) {
      at = seek(postings, at, document);
      if (at === postings.length) break;
      if ((postings[at] as number) >>> TIMES_BITS === document) holders.add(document);
    }
  }
  return holders;
};
