import { PART } from '../index/document-table.ts';
import type { IndexPart } from '../index/index-part.ts';
import type { IndexState } from '../index/index-state.ts';
import { type Hash64, KEY_KINDS } from '../index/text-hash.ts';
import { TopDocuments } from '../index/top-documents.ts';
import type { ViewFilter } from '../index/view-filter.ts';
import { MOST_TERMS, lengthPenalty as penaltyOf, scoreBound, termScore, termWeight } from './bm25.ts';
import { lengthOfNorm, NORMS } from './document-norm.ts';
import { LANGUAGE_NUMBERS, type LanguageNumber, languageMark } from './languages/text-languages.ts';
import { searchPart, seek, type TermPostings } from './max-score.ts';
import { MOST_TIMES, type PostingLists, TIMES_BITS, TOLD_APART } from './posting-lists.ts';
import { frequencyOf, postingsOf } from './postings-then.ts';
import { readQueryForms } from './query-forms.ts';
import { TermCounts } from './term-counts.ts';

/** The best documents for a query, and the score that none of them can exceed. */
export interface FoundByWords {
  readonly found: readonly { readonly document: number; readonly score: number }[];
  readonly bound: number;
}

/** Returns the best documents of the opened parts for a query. Each contains at least one of its words. */
export const searchWords = (state: IndexState, query: string, filter: ViewFilter, limit: number): FoundByWords => {
  const counted = countedParts(filter);
  const parts = counted.map(({ part }) => part);
  const documents = counted.reduce((sum, one) => sum + one.documents, 0);
  if (documents === 0 || limit < 1) return { found: [], bound: 0 };
  const { terms, bound } = termsOf(state, query, filter, parts, documents);
  const meanLength = counted.reduce((sum, one) => sum + one.length, 0) / documents;
  const lengthPenalty = PENALIZED.map((length) => penaltyOf(length, meanLength));
  const top = new TopDocuments(limit, documents, (document, than) => state.documents.isOlder(document, than));
  const accepts = (document: number): boolean => filter.accepts(document);
  const candidates = filter.entity === undefined ? undefined : [...filter.ofEntity()].sort((a, b) => a - b);
  for (const part of parts) {
    const lists = terms.flatMap(({ weight, lists }) => {
      const list = lists.get(part) ?? -1;
      if (list < 0) return [];
      const most = boundOf(state.lists, list, weight, lengthPenalty);
      return [{ postings: postingsOf(state, list, filter), weight, bound: most * (1 + 1e-12) }];
    });
    if (candidates === undefined) searchPart(lists, state.documents.norms, lengthPenalty, accepts, top);
    else {
      const own = candidates.filter((document) => state.documents.word(document, PART) === part.number);
      scoreEach(own.filter(accepts), lists, state.documents.norms, lengthPenalty, top);
    }
  }
  return { found: top.take(), bound };
};

/**
 * The highest score of a list's term in any document. Documents that repeat a word tend to be long, so each count has
 * its own bound.
 */
const boundOf = (lists: PostingLists, list: number, weight: number, lengthPenalty: Float64Array): number => {
  const mostTimes = lists.mostTimesOf(list);
  const shortest = lists.shortestOf(list);
  let most = 0;
  for (let times = 1; times <= TOLD_APART; times += 1) {
    const norm = (shortest >>> ((times - 1) * 8)) & 0xff;
    const counted = times < TOLD_APART ? times : mostTimes;
    if (times <= mostTimes) most = Math.max(most, termScore(weight, counted, lengthPenalty[norm] as number));
  }
  return most;
};

const PENALIZED = Float64Array.from({ length: NORMS }, (_, norm) => lengthOfNorm(norm));

/** A term of a query that occurs in the searched parts. */
export interface QueryTerm {
  /** The number of the word that the term is a form of. */
  readonly word: number;
  /** The weight of the term over all opened parts; above 0. */
  readonly weight: number;
  /** The posting list of the term in each part that contains it. */
  readonly lists: ReadonlyMap<IndexPart, number>;
}

/** Returns the terms by which `searchWords` searches. */
export const queryTermsIn = (state: IndexState, query: string, filter: ViewFilter): readonly QueryTerm[] => {
  const counted = countedParts(filter);
  const documents = counted.reduce((sum, one) => sum + one.documents, 0);
  return termsOf(
    state,
    query,
    filter,
    counted.map(({ part }) => part),
    documents,
  ).terms;
};

/** Returns the non-empty opened parts with their statistics. */
const countedParts = (filter: ViewFilter) =>
  filter.parts.map((part) => ({ part, ...filter.statisticsOf(part) })).filter(({ documents }) => documents > 0);

/**
 * Returns the rarest terms of a query that occur at all, the most frequent one first. Forms of one word have the same
 * weight.
 */
const termsOf = (
  state: IndexState,
  query: string,
  filter: ViewFilter,
  parts: readonly IndexPart[],
  documents: number,
): { readonly terms: readonly QueryTerm[]; readonly bound: number } => {
  const counts = new TermCounts();
  const wordOf = readQueryForms(query, state.reader, languagesIn(state, parts), counts);
  const found: { readonly lists: ReadonlyMap<IndexPart, number>; readonly place: number; readonly word: number }[] = [];
  const frequencies = new Map<number, number>();
  for (let place = 0; place < counts.distinct; place += 1) {
    const lists = new Map<IndexPart, number>();
    let frequency = 0;
    for (const part of parts) {
      const list = state.lists.find(part.number, counts.hi[place] as number, counts.lo[place] as number);
      if (list < 0) continue;
      lists.set(part, list);
      frequency += frequencyOf(state, list, part, filter);
    }
    if (frequency === 0) continue;
    const word = wordOf[place] as number;
    frequencies.set(word, (frequencies.get(word) ?? 0) + frequency);
    found.push({ lists, place, word });
  }
  const terms = found.map(({ lists, place, word }) => {
    // The frequency counts a text twice if it contains the word in two languages, so it may exceed the number of texts.
    const frequency = Math.min(documents, frequencies.get(word) as number);
    return { weight: termWeight(documents, frequency), word, lists, frequency, place };
  });
  terms.sort((a, b) => b.frequency - a.frequency || b.place - a.place);
  const kept = terms.slice(-MOST_TERMS);
  return { terms: kept, bound: scoreBound(kept, new Set(wordOf).size, documents) };
};

/** Returns the languages of the texts in the parts. */
const languagesIn = (state: IndexState, parts: readonly IndexPart[]): readonly LanguageNumber[] =>
  LANGUAGE_NUMBERS.filter((language) => {
    state.hasher.hash(languageMark(language), KEY_KINDS.term, MARK);
    return parts.some(({ number }) => state.lists.find(number, MARK.hi, MARK.lo) >= 0);
  });

const MARK: Hash64 = { hi: 0, lo: 0 };

/** Scores the given documents, which are ascending. */
const scoreEach = (
  documents: readonly number[],
  terms: readonly TermPostings[],
  norms: Uint8Array,
  lengthPenalty: Float64Array,
  top: TopDocuments,
): void => {
  const places = terms.map(() => 0);
  for (const document of documents) {
    let score = 0;
    for (let at = terms.length - 1; at >= 0; at -= 1) {
      const { postings, weight } = terms[at] as TermPostings;
      const place = seek(postings, places[at] as number, document);
      places[at] = place;
      const posting = postings[place] ?? 0;
      if (place >= postings.length || posting >>> TIMES_BITS !== document) continue;
      score += termScore(weight, posting & MOST_TIMES, lengthPenalty[norms[document] as number] as number);
    }
    if (score > 0) top.offer(document, score);
  }
};
