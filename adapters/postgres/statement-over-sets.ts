import type { SqlValue } from '../../ports/ports.ts';
import type { SqlParameter } from '../sql/sql-engine.ts';
import { shapeOf } from './column-shape.ts';
import { type Encoded, encodeArray, encodeParameter } from './postgres-values.ts';

/**
 * Returns the statement for two or more sets of parameters at once. Each parameter that differs becomes one array. The
 * last column of each row is the number of its set, from 1. Rows of one set stay in order.
 */
export const eachSet = (
  sql: string,
  sets: readonly (readonly SqlParameter[])[],
): { readonly statement: string; readonly values: readonly Encoded[] } => {
  const [first = []] = sets;
  const shape = shapeOf(first.length, sets);
  const columns = first.map((_, at) => sets.map((set) => set[at] as SqlValue));
  const differing = columns.flatMap((column, at) => (shape[at] === 'v' ? [{ column, at }] : []));
  const same = columns.flatMap((column, at) => (shape[at] === 'v' ? [] : [encodeParameter(column[0] as SqlValue)]));
  let at = 0;
  const inner = sql.replaceAll('?', () => {
    const mark = shape[at] === 'v' ? `s.p${at}` : `?::${typeOf(columns[at] ?? [])}`;
    at += 1;
    return mark;
  });
  const arrays = differing.map(({ column }) => `?::${typeOf(column)}[]`).join(', ');
  const names = differing.map((column) => `p${column.at}, `).join('');
  return {
    statement: `SELECT r.*, s.n FROM unnest(${arrays}) WITH ORDINALITY s (${names}n) CROSS JOIN LATERAL (${inner}) r`,
    values: [...differing.map(({ column }) => encodeArray(column)), ...same],
  };
};

const typeOf = (values: readonly SqlValue[]): string => {
  const given = values.filter((value) => value !== null);
  if (given.every((value) => Number.isSafeInteger(value))) return 'int8';
  return given.every((value) => typeof value === 'number') ? 'float8' : 'text';
};
