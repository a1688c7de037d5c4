import type { SqlDialect } from './sql-dialect.ts';
import type { SqlParameter } from './sql-engine.ts';

/** Longer lists are one parameter, so that they share a statement; unpacking that costs some 5 µs, which short lists save. */
const BOUND_ONE_BY_ONE = 8;

/** Lists for which this answers alike share a statement. */
export const listShape = (length: number): number => Math.min(length, BOUND_ONE_BY_ONE + 1);

/** Condition that the column equals one of `length` values, none of them null; `bindList` binds them. */
export const equalsOneOf = (column: string, length: number, of: 'text' | 'number', dialect: SqlDialect): string => {
  if (length === 0) return '1 = 0';
  if (length === 1) return `${column} = ?`;
  if (length <= BOUND_ONE_BY_ONE) return `${column} IN (?${', ?'.repeat(length - 1)})`;
  return dialect.inList(column, of);
};

export const bindList = (
  values: readonly string[] | readonly number[],
  dialect: SqlDialect,
  parameters: SqlParameter[],
): void => {
  if (values.length > BOUND_ONE_BY_ONE) parameters.push(dialect.listParameter(values));
  else parameters.push(...values);
};
