import { powerOfTwo } from './filter-values.ts';
import type { SqlDialect, ValueKind } from './sql-dialect.ts';
import type { SqlParameter } from './sql-engine.ts';

type List = readonly string[] | readonly number[];

/**
 * The longest list whose values are bound one by one. Longer lists are one parameter, so that they share a statement,
 * but unpacking it costs some 5 µs.
 */
const BOUND_ONE_BY_ONE = 8;

/**
 * Returns whether a list is bound as one parameter. Fractions never are, because some releases of SQLite misread
 * decimal text.
 */
export const isOneParameter = (values: List, kind: ValueKind): boolean =>
  values.length > BOUND_ONE_BY_ONE && kind !== 'number';

/** Returns the common kind of all values of a list. */
export const kindOf = (values: List): ValueKind => {
  if (typeof values[0] === 'string') return 'text';
  return values.every(Number.isSafeInteger) ? 'whole' : 'number';
};

/**
 * Returns the values that are bound one by one. Repeats the last value of a short list up to a power of two, because
 * callers choose the lengths of some lists, and each length has a statement of its own.
 */
export const boundOneByOne = (values: List): List => {
  const last = values.at(-1);
  if (last === undefined || values.length > BOUND_ONE_BY_ONE) return values;
  return [...values, ...Array(powerOfTwo(values.length) - values.length).fill(last)];
};

/** Returns a condition that the column equals one of the values, none of which is null. `bindList` binds them. */
export const equalsOneOf = (column: string, values: List, dialect: SqlDialect): string => {
  if (values.length === 0) return '1 = 0';
  const kind = kindOf(values);
  if (isOneParameter(values, kind)) return dialect.inList(column, kind);
  const mark = dialect.mark(kind);
  const { length } = boundOneByOne(values);
  return length === 1 ? `${column} = ${mark}` : `${column} IN (${mark}${`, ${mark}`.repeat(length - 1)})`;
};

export const bindList = (values: List, dialect: SqlDialect, parameters: SqlParameter[]): void => {
  if (isOneParameter(values, kindOf(values))) parameters.push(dialect.listParameter(values));
  else for (const value of boundOneByOne(values)) parameters.push(value);
};
