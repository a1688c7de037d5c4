import { chmod } from 'node:fs/promises';
import { ServiceError, type SqlValue, type StoreCopy } from '../../ports/ports.ts';
import { digestFile, syncPath } from '../files/durable-file.ts';
import { countRows, describeCopy } from '../sql/describe-copy.ts';
import { COPY_NAME, SQLITE_LAYOUT } from './copy-file.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';

const PATIENCE_MS = 60_000;

/** Checks the pages of a copy of a store, and describes the copy by its content. */
export const describeFile = async (path: string): Promise<StoreCopy> => {
  await chmod(path, 0o600);
  const described = await onDatabase(path, async (database) => {
    const [[verdict] = []] = rowsOf(database, 'PRAGMA quick_check(1)');
    if (verdict !== 'ok') throw new ServiceError('unavailable', 'the copy of the store is damaged');
    const ask = async (sql: string): Promise<SqlValue[][]> => rowsOf(database, sql);
    const tables = (await ask(sqliteDialect.queries.tableNames)).map(([name]) => String(name)).sort();
    return { ...(await describeCopy(tables, ask)), tables: await countRows(tables, ask) };
  });
  await syncPath(path);
  return { layout: SQLITE_LAYOUT, files: [{ name: COPY_NAME, ...(await digestFile(path)) }], ...described };
};

export const onDatabase = async <T>(path: string, work: (database: SqliteDatabase) => T | Promise<T>): Promise<T> => {
  const database = loadSqliteDriver().open(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    return await work(database);
  } finally {
    database.close();
  }
};

const rowsOf = (database: SqliteDatabase, sql: string, ...parameters: SqlValue[]): SqlValue[][] => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all(...parameters) as SqlValue[][];
};
