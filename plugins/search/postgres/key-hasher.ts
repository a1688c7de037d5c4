import { type Hash64, type HashSeed, KEY_KINDS, TextHasher } from '../index/text-hash.ts';
import { readFactTerms, type WordsOfFact } from '../words/fact-terms.ts';
import { LANGUAGE_NUMBERS, type LanguageNumber, languageMark } from '../words/languages/text-languages.ts';
import { TermCounts } from '../words/term-counts.ts';
import { TermReader } from '../words/term-reader.ts';

/** A signed 64-bit number in decimal digits, because a double cannot represent all of them. */
export type Hash = string;

/** The terms of a fact, with the length of its text in words. */
export interface FactTerms {
  readonly terms: readonly { readonly term: Hash; readonly times: number }[];
  readonly length: number;
  /** A bit for the language of the text; 0 if it has no stemmer of its own. */
  readonly languages: number;
}

/** Hashes keys and terms for the tables, under the seed of the index. */
export class KeyHasher {
  readonly reader: TermReader;
  readonly #hasher: TextHasher;
  readonly #counts = new TermCounts();
  readonly #hash: Hash64 = { hi: 0, lo: 0 };
  readonly #languages: ReadonlyMap<Hash, number>;

  constructor(seed: HashSeed) {
    this.#hasher = new TextHasher(seed);
    this.reader = new TermReader(this.#hasher);
    this.#languages = new Map(LANGUAGE_NUMBERS.map((one) => [this.of(languageMark(one), 'term'), bitOfLanguage(one)]));
  }

  of(text: string, kind: keyof typeof KEY_KINDS): Hash {
    this.#hasher.hash(text, KEY_KINDS[kind], this.#hash);
    return digitsOf(this.#hash.hi, this.#hash.lo);
  }

  /** Returns the hash of a tenant, a scope and a place, whose facts all have the same readers. */
  realmOf(tenantId: string, scope: string, place: string): Hash {
    return this.of(`${tenantId} ${scope} ${place}`, 'garden');
  }

  termsOf(fact: WordsOfFact): FactTerms {
    const counts = this.#counts;
    counts.clear();
    readFactTerms(fact, this.reader, counts);
    const terms = listTerms(counts);
    const languages = terms.reduce((bits, { term }) => bits | (this.#languages.get(term) ?? 0), 0);
    return { terms, length: counts.length, languages };
  }
}

export const bitOfLanguage = (language: LanguageNumber): number => 1 << language;

export const listTerms = ({ hi, lo, times, distinct }: TermCounts): { readonly term: Hash; readonly times: number }[] =>
  Array.from({ length: distinct }, (_, at) => ({
    term: digitsOf(hi[at] as number, lo[at] as number),
    times: times[at] as number,
  }));

const digitsOf = (hi: number, lo: number): Hash => String((BigInt(hi | 0) << 32n) | BigInt(lo));
