import type { FactField, Filter, Hlc } from '../../ports/ports.ts';
import { FIELD_COLUMNS, type IndexedPart, indexedPart } from './fact-field-columns.ts';

/** Prepares the values and parts of filters for SQL. Removes values that no stored value can equal. */

export type Values = readonly (string | number | boolean)[];

const NONE: readonly never[] = [];

/** Returns the values that the member could equal, in stored form. */
export const usableValues = (field: FactField, values: Values): readonly string[] | readonly number[] => {
  const { is } = FIELD_COLUMNS[field];
  if (is === 'text') return textsOf(values);
  return is === 'number' ? numbersOf(values) : NONE;
};

export const textsOf = (values: Values): readonly string[] => values.filter(isStorableText);

/** Returns the indexed part of each value. */
export const indexedParts = (values: readonly string[] | readonly number[], part: IndexedPart): readonly string[] =>
  values.map((value) => indexedPart(String(value), part));

/** Booleans are stored as 0 and 1. */
export const numbersOf = (values: Values): readonly number[] =>
  values.filter((value) => typeof value !== 'string').map(Number);

/** Returns whether the member can lie above or below the value. */
export const isComparable = (field: FactField, value: number | Hlc): boolean => {
  const { is } = FIELD_COLUMNS[field];
  return is === (typeof value === 'object' ? 'stamp' : 'number') && !Number.isNaN(value);
};

/** Returns whether the member can begin with the text. */
export const hasPrefix = (field: FactField, text: string): boolean =>
  FIELD_COLUMNS[field].is === 'text' && isStorableText(text);

/**
 * Returns whether the store can hold the text. With U+0000 or a lone surrogate, SQLite would mistake the text for
 * another one, and PostgreSQL would refuse it.
 */
export const isStorableText = (value: string | number | boolean): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000');

/**
 * Returns the parts of a conjunction or disjunction. Repeats the last one, if that tests for a prefix, until the number
 * of such tests at the end is a power of two. Callers choose that number, and each one has a statement of its own.
 */
export const paddedParts = (of: readonly Filter[]): readonly Filter[] => {
  const last = of.at(-1);
  if (last?.kind !== 'startsWith') return of;
  const tests = of.length - 1 - of.findLastIndex((part) => part.kind !== 'startsWith');
  return [...of, ...Array<Filter>(powerOfTwo(tests) - tests).fill(last)];
};

/** Returns the smallest power of two that is not below a count. */
export const powerOfTwo = (count: number): number => 2 ** Math.ceil(Math.log2(count));
