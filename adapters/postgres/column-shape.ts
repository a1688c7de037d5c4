import type { SqlParameter } from '../sql/sql-engine.ts';

/**
 * The shape of several rows, a character a column: `n` null in every row, `s` the same value in every row, `v`
 * different ones. A group of facts has few columns that differ, and an array costs the server and this process for
 * every element.
 */
export type ColumnShape = string;

/** At least one column differs, unless there is one row. */
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
  // `Object.is` tells 0 from -0, as the database does when it keeps them.
  for (let at = 1; at < rows.length; at += 1) if (!Object.is(rows[at]?.[column], first)) return 'v';
  return first === null ? 'n' : 's';
};
