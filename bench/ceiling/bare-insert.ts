import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';

type SqlRow = Readonly<Record<string, unknown>>;

/** The fact table of a node's store: the statements that made it, and rows to insert again. */
export interface FactTableSample {
  readonly statements: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly SqlRow[];
}

/** The number of rows in one statement. Larger statements are no faster. */
const ROWS_PER_STATEMENT = 50;

/** Reads the schema and rows of the fact table from a store that a node may have open. */
export const sampleFactTable = (path: string, limit: number): FactTableSample => {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const made = database
      .prepare(
        "SELECT sql FROM sqlite_master WHERE tbl_name = 'facts' AND type IN ('table', 'index') AND sql IS NOT NULL",
      )
      .all() as { sql: string }[];
    const rows = database.prepare('SELECT * FROM facts LIMIT ?').all(limit) as SqlRow[];
    return { statements: made.map(({ sql }) => sql), columns: Object.keys(rows[0] ?? {}), rows };
  } finally {
    database.close();
  }
};

const insertStatement = (
  database: DatabaseSyncInstance,
  sample: FactTableSample,
  rows: number,
): StatementSyncInstance => {
  const one = `(${sample.columns.map(() => '?').join(',')})`;
  const all = Array.from({ length: rows }, () => one).join(',');
  return database.prepare(`INSERT INTO facts (${sample.columns.join(',')}) VALUES ${all}`);
};

/**
 * Returns the rows per second of a bare, durable multi-row insert into the columns and indexes of the node's fact
 * table. Each transaction has `batch` rows. The process computes, checks and parses nothing.
 */
export const bareInsertRate = (folder: string, sample: FactTableSample, batch: number): number => {
  const path = join(folder, 'bare-insert.db');
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 20000');
    for (const sql of sample.statements) database.exec(sql);
    const several = insertStatement(database, sample, ROWS_PER_STATEMENT);
    const values = (row: SqlRow): unknown[] => sample.columns.map((column) => row[column]);
    const start = performance.now();
    let inserted = 0;
    while (inserted + batch <= sample.rows.length) {
      database.exec('BEGIN IMMEDIATE');
      for (const end = inserted + batch; inserted < end; inserted += ROWS_PER_STATEMENT) {
        several.run(...sample.rows.slice(inserted, inserted + ROWS_PER_STATEMENT).flatMap(values));
      }
      database.exec('COMMIT');
    }
    return inserted / ((performance.now() - start) / 1000);
  } finally {
    database.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  }
};
