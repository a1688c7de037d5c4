import type { FactField, Hlc } from '../../ports/ports.ts';
import { FIELD_COLUMNS, type IndexedPart, indexedPart } from './fact-field-columns.ts';

/** Drops values of a filter that can match nothing. */

export type Values = readonly (string | number | boolean)[];

const NONE: readonly never[] = [];

/** The values that the member could equal, as they are stored. */
export const usableValues = (field: FactField, values: Values): readonly string[] | readonly number[] => {
  const { is } = FIELD_COLUMNS[field];
  if (is === 'text') return textsOf(values);
  return is === 'number' ? numbersOf(values) : NONE;
};

export const textsOf = (values: Values): readonly string[] => values.filter(isStorableText);

/** The part of each value that the index of the member holds. */
export const indexedParts = (values: readonly string[] | readonly number[], part: IndexedPart): readonly string[] =>
  values.map((value) => indexedPart(String(value), part));

/** Booleans are stored as 0 and 1. */
export const numbersOf = (values: Values): readonly number[] =>
  values.filter((value) => typeof value !== 'string').map(Number);

/** Whether the member can lie above or below the value. */
export const isComparable = (field: FactField, value: number | Hlc): boolean => {
  const { is } = FIELD_COLUMNS[field];
  return is === (typeof value === 'object' ? 'stamp' : 'number') && !Number.isNaN(value);
};

/**
 * No stored text holds U+0000 or a lone surrogate. SQLite would take a search text that does for another one, and
 * PostgreSQL would refuse it.
 */
const isStorableText = (value: string | number | boolean): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000');
