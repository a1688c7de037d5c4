import type { Hit, SearchAnswer } from '../search-api.ts';
import { lengthPenalty, MOST_TERMS, scoreBound, termWeight } from '../words/bm25.ts';
import { lengthOfNorm, NORMS } from '../words/document-norm.ts';
import { LANGUAGE_NUMBERS } from '../words/languages/text-languages.ts';
import { readQueryForms } from '../words/query-forms.ts';
import { TermCounts } from '../words/term-counts.ts';
import { bitOfLanguage, type Hash, listTerms } from './key-hasher.ts';
import { LEAST_READ, NEWEST_FIRST, type OpenedView } from './opened-view.ts';
import { sql } from './sql-fragment.ts';

/** A term of a query that occurs in the opened parts. */
export interface WeighedTerm {
  readonly term: Hash;
  /** The number of the query word to which the term belongs. All terms of one word have the same weight. */
  readonly word: number;
  readonly weight: number;
}

/** The statistics of the opened parts at the searched moment. */
interface Statistics {
  readonly documents: number;
  readonly length: number;
}

interface WeighedTerms extends Statistics {
  readonly terms: readonly WeighedTerm[];
  /** The score that no fact exceeds. */
  readonly bound: number;
}

const statisticsOf = async (opened: OpenedView): Promise<Statistics> => {
  if (opened.view.asOf === undefined) {
    return { documents: opened.documents, length: opened.parts.reduce((sum, { length }) => sum + length, 0) };
  }
  const [row = {}] = await opened.rows(
    sql`SELECT count(*) AS documents, coalesce(sum(d.length), 0) AS length FROM search_postgres_facts d WHERE ${opened.there}`,
  );
  return { documents: Number(row['documents']), length: Number(row['length']) };
};

/** Returns the rarest terms of a query that occur at all, the rarest one first. */
export const weighTerms = (opened: OpenedView, query: string): Promise<WeighedTerms> =>
  opened.once(`terms ${query}`, () => weigh(opened, query));

const weigh = async (opened: OpenedView, query: string): Promise<WeighedTerms> => {
  const statistics = await statisticsOf(opened);
  const { documents } = statistics;
  if (documents === 0) return { ...statistics, terms: [], bound: 0 };
  const languages = LANGUAGE_NUMBERS.filter((one) =>
    opened.parts.some((part) => (part.languages & bitOfLanguage(one)) !== 0),
  );
  const counts = new TermCounts();
  const wordOf = readQueryForms(query, opened.hasher.reader, languages, counts);
  const sought = listTerms(counts).map(({ term }) => term);
  if (sought.length === 0) return { ...statistics, terms: [], bound: 0 };
  const rows = await opened.rows(
    sql`SELECT q.place, f.frequency FROM unnest(${sought}::int8[]) WITH ORDINALITY AS q (term, place),
      LATERAL (SELECT count(*) AS frequency FROM search_postgres_words w WHERE w.term = q.term AND ${opened.postings}) f
      WHERE f.frequency > 0`,
  );
  const found = rows.map((row) => {
    const place = Number(row['place']) - 1;
    return { place, word: wordOf[place] as number, frequency: Number(row['frequency']) };
  });
  const frequencies = new Map<number, number>();
  for (const { word, frequency } of found) frequencies.set(word, (frequencies.get(word) ?? 0) + frequency);
  const terms = found
    .map(({ place, word }) => {
      // The frequency counts a text twice if it contains the word in two languages, so it may exceed the number of
      // texts.
      const frequency = Math.min(documents, frequencies.get(word) as number);
      return { term: sought[place] as Hash, word, weight: termWeight(documents, frequency), frequency, place };
    })
    .sort((a, b) => a.frequency - b.frequency || a.place - b.place)
    .slice(0, MOST_TERMS);
  return { ...statistics, terms, bound: scoreBound(terms, new Set(wordOf).size, documents) };
};

/** Ranks facts by Okapi BM25. Each holds at least one of the words. */
export const findWords = async (opened: OpenedView, query: string, limit: number): Promise<SearchAnswer> => {
  const weighed = limit < 1 ? NOTHING : await weighTerms(opened, query);
  const { bound } = weighed;
  if (weighed.terms.length === 0) return { hits: [], bound };
  const read = Math.max(limit, LEAST_READ);
  const hits = await opened.once(`words ${read} ${query}`, () => rank(opened, weighed, read));
  return { hits: hits.slice(0, limit), bound };
};

const rank = async (
  opened: OpenedView,
  { terms, documents, length }: WeighedTerms,
  limit: number,
): Promise<readonly Hit[]> => {
  const penalties = Array.from({ length: NORMS }, (_, norm) => lengthPenalty(lengthOfNorm(norm), length / documents));
  // Adds the scores of the heaviest term first, so that equal facts get equal sums in every engine.
  const rows = await opened.rows(
    sql`SELECT d.fact_id, s.score FROM (
        SELECT w.feed_wall, w.feed_ctr,
          sum(q.weight * w.times / (w.times + (${penalties}::float8[])[w.norm + 1]) ORDER BY q.place) AS score
        FROM unnest(${terms.map(({ term }) => term)}::int8[], ${terms.map(({ weight }) => weight)}::float8[])
          WITH ORDINALITY AS q (term, weight, place)
        JOIN search_postgres_words w ON w.term = q.term AND ${opened.postings}
        GROUP BY w.feed_wall, w.feed_ctr) s
      JOIN search_postgres_facts d ON d.feed_wall = s.feed_wall AND d.feed_ctr = s.feed_ctr
      WHERE ${opened.accepted} ORDER BY s.score DESC, ${NEWEST_FIRST} LIMIT ${limit}::int8`,
  );
  return rows.map((row) => ({ id: String(row['fact_id']), score: Number(row['score']) }));
};

const NOTHING: WeighedTerms = { terms: [], documents: 0, length: 0, bound: 0 };
