import type { SqlParameter } from '../sql/sql-engine.ts';

/**
 * The shape of several rows, one character per column: `n` null in every row, `s` the same value in every row, `v`
 * different values. Few columns of a group of facts differ, and each element of an array costs time in the server and
 * in this process.
 */
export type ColumnShape = string;

/** Returns the shape of rows. At least one column must be `v`, unless there is a single row. */
export const shapeOf = (columns: number, rows: readonly (readonly SqlParameter[])[]): ColumnShape => {
  let shape = '';
  let differs = rows.length === 1;
  for (let at = 0; at < columns; at += 1) {
    const kind = kindOf(at, rows);
    differs ||= kind === 'v';
    shape += kind;
  }
  return differs ? shape : `v${shape.slice(1)}`;
};

const kindOf = (column: number, rows: readonly (readonly SqlParameter[])[]): 'n' | 's' | 'v' => {
  const first = rows[0]?.[column];
  // `Object.is` distinguishes 0 from -0, because the database stores both.
  for (let at = 1; at < rows.length; at += 1) if (!Object.is(rows[at]?.[column], first)) return 'v';
  return first === null ? 'n' : 's';
};
