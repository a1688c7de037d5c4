import type { SqlValue } from '../../ports/ports.ts';

/**
 * The statement for many sets of parameters at once: each column of the sets is one array, and the last column of a row says which
 * set it belongs to, from 1. The rows of one set keep their order.
 */
export const eachSet = (sql: string, types: readonly string[]): string => {
  let at = 0;
  const inner = sql.replaceAll('?', () => {
    at += 1;
    return `s.p${at}`;
  });
  const names = types.map((_, index) => `p${index + 1}`).join(', ');
  const arrays = types.map((type) => `?::${type}[]`).join(', ');
  return `SELECT r.*, s.n FROM unnest(${arrays}) WITH ORDINALITY s (${names}, n) CROSS JOIN LATERAL (${inner}) r`;
};

/** A type for every column of values. */
export const setTypes = (columns: readonly (readonly SqlValue[])[]): string[] =>
  columns.map((values) => {
    const given = values.filter((value) => value !== null);
    if (given.every((value) => Number.isSafeInteger(value))) return 'int8';
    return given.every((value) => typeof value === 'number') ? 'float8' : 'text';
  });
