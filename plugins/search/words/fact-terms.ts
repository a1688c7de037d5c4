import type { StoredFact } from '../../../kernel/thread-api.ts';
import { languageOf } from './languages/judge-language.ts';
import { COMMON, languageMark } from './languages/text-languages.ts';
import type { TermCounts } from './term-counts.ts';
import type { TermReader } from './term-reader.ts';

/** The searchable parts of a fact: entity, relation, value, and its date as the author wrote it. */
export type WordsOfFact = Pick<StoredFact, 'entity' | 'relation' | 'value' | 'timestamp'>;

export const readFactTerms = (fact: WordsOfFact, reader: TermReader, into: TermCounts): void => {
  reader.read(fact.entity, into);
  reader.read(fact.relation, into);
  reader.read(fact.timestamp.slice(0, DATE_LENGTH), into);
  const { type, v } = fact.value;
  if (v === null) return;
  if (typeof v === 'string' && type !== 'ref') readText(v, reader, into);
  else reader.read(String(v), into);
};

/** Reads a text by the rules of its own language, if the language is recognised. */
const readText = (text: string, reader: TermReader, into: TermCounts): void => {
  const language = languageOf(text);
  if (language !== COMMON) reader.addTerm(languageMark(language), into);
  reader.read(text, into, MOST_TERMS_OF_FACT, language);
};

/**
 * The maximum number of different terms of a fact; further terms are ignored. A mebibyte of prose has fewer. A text
 * with more consists of numbers or is malicious, and would cost a multiple of its length in memory.
 */
export const MOST_TERMS_OF_FACT = 16_384;

const DATE_LENGTH = 'YYYY-MM-DD'.length;
