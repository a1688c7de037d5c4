import type { SqlValue, StoredFact } from '../../ports/ports.ts';
import { FACT_COLUMNS, factFromRow } from './fact-row.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

/** Values up to this come with their row. Longer ones are asked for apart, and only those that there is room for. */
export const MAX_SHORT_BYTES = 4096;

const VALUE_COLUMN = FACT_COLUMNS.indexOf('value_v');
const BYTES_COLUMN = FACT_COLUMNS.length;

/**
 * The facts of rows without their long values, as far as the values stay within so many bytes: see
 * `FactQuery.maxBytes`.
 */
export const factsWithin = async (
  rows: readonly SqlValue[][],
  maxBytes: number,
  session: SqlSession,
  dialect: SqlDialect,
): Promise<StoredFact[]> => {
  const kept = rowsWithin(rows, maxBytes, BYTES_COLUMN);
  const long = kept.filter((row) => bytesOf(row) > MAX_SHORT_BYTES);
  if (long.length > 0) {
    const ids = long.map(([id]) => id as string);
    const sql = `SELECT f.id, f.value_v FROM facts f WHERE ${dialect.inList('f.id', 'text')}`;
    const values = new Map(
      (await session.rows(sql, [dialect.listParameter(ids)])).map(([id, value]) => [id, value as SqlValue]),
    );
    for (const row of long) row[VALUE_COLUMN] = values.get(row[0] as string) ?? null;
  }
  return kept.map(factFromRow);
};

/** The rows as far as their values stay within so many bytes, by the column that tells how long each value is. */
export const rowsWithin = (
  rows: readonly SqlValue[][],
  maxBytes: number,
  bytesColumn: number,
): readonly SqlValue[][] => {
  let bytes = 0;
  for (const [at, row] of rows.entries()) {
    bytes += Number(row[bytesColumn] ?? 0);
    if (bytes >= maxBytes) return rows.slice(0, at + 1);
  }
  return rows;
};

const bytesOf = (row: readonly SqlValue[]): number => Number(row[BYTES_COLUMN] ?? 0);
