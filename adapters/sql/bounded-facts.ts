import type { LongValues, SqlValue, StoredFact } from '../../ports/ports.ts';
import type { FactForm } from './fact-form.ts';
import { FACT_COLUMNS } from './fact-row.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

/**
 * The maximum size in bytes of a value that comes with its row. The store reads longer values separately, and only
 * those that fit on the page.
 */
export const MAX_SHORT_BYTES = 4096;

const VALUE_COLUMN = FACT_COLUMNS.indexOf('value_v');
const BYTES_COLUMN = FACT_COLUMNS.length;

/** Returns the facts of rows, with long values up to this number of bytes in total: see `FactQuery.maxBytes`. */
export const factsWithin = async (
  rows: readonly SqlValue[][],
  maxBytes: number,
  session: SqlSession,
  dialect: SqlDialect,
  form: FactForm,
): Promise<StoredFact[]> => {
  const kept = rowsWithin(rows, maxBytes, BYTES_COLUMN);
  await readLong(
    kept.filter((row) => bytesOf(row) > MAX_SHORT_BYTES),
    session,
    dialect,
    form,
  );
  return kept.map((row) => form.fact(row));
};

/** Puts the values into rows that have only their lengths. */
const readLong = async (
  long: readonly SqlValue[][],
  session: SqlSession,
  dialect: SqlDialect,
  form: FactForm,
): Promise<void> => {
  if (long.length === 0) return;
  const ids = long.map(([id]) => id as string);
  const sql = `SELECT f.id, f.${form.valueColumn} FROM facts f WHERE ${dialect.inList('f.id', 'text')}`;
  const values = new Map(
    (await session.rows(sql, [dialect.listParameter(ids)])).map(([id, value]) => [id, value as SqlValue]),
  );
  for (const row of long) row[VALUE_COLUMN] = values.get(row[0] as string) ?? null;
};

/** Returns the facts of all rows, with those long values that `FactQuery.longValues` allows. */
export const factsWithLong = async (
  rows: readonly SqlValue[][],
  limits: LongValues,
  session: SqlSession,
  dialect: SqlDialect,
  form: FactForm,
): Promise<StoredFact[]> => {
  const unread = unreadAmong(rows, limits, BYTES_COLUMN);
  await readLong(
    rows.filter((row) => bytesOf(row) > MAX_SHORT_BYTES && !unread.has(row)),
    session,
    dialect,
    form,
  );
  return rows.map((row) => (unread.has(row) ? unreadFact(row, form) : form.fact(row)));
};

const unreadFact = (row: readonly SqlValue[], form: FactForm): StoredFact => {
  const fact = form.factUnread(row) as { -readonly [K in keyof StoredFact]: StoredFact[K] };
  fact.unreadBytes = bytesOf(row);
  return fact;
};

/** Returns the rows with a long value that the limits leave out. One column holds the length of each value. */
export const unreadAmong = (
  rows: readonly SqlValue[][],
  { each, total }: LongValues,
  bytesColumn: number,
): ReadonlySet<readonly SqlValue[]> => {
  const unread = new Set<readonly SqlValue[]>();
  let left = total;
  for (const row of rows) {
    const bytes = Number(row[bytesColumn] ?? 0);
    if (bytes <= MAX_SHORT_BYTES) continue;
    if (bytes > each || bytes > left) unread.add(row);
    else left -= bytes;
  }
  return unread;
};

/** Returns the first rows whose values fit into this number of bytes. One column holds the length of each value. */
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
