import { loadSqliteDriver, type SqliteDatabase, type SqliteDriver } from '../../../adapters/sqlite/sqlite-driver.ts';

/** Result codes of SQLite. */
export const READONLY = 8;
export const IOERR = 10;
export const FULL = 13;
export const IOERR_SHMSIZE = 4874;
export const BUSY = 5;

export interface FailingDriver extends SqliteDriver {
  /** Makes each statement that `matches` selects fail with the result code, until the next call. */
  fail(code: number | undefined, matches?: (sql: string) => boolean): void;
  /** Runs the statement on every database that is opened from now on. */
  prepareWith(sql: string): void;
}

/** Wraps the current driver with faults that a test switches on and off. */
export const createFailingDriver = (): FailingDriver => {
  const real = loadSqliteDriver();
  let code: number | undefined;
  let picks = (_sql: string): boolean => true;
  let first = '';
  const check = (sql: string): void => {
    if (code === undefined || !picks(sql)) return;
    throw Object.assign(new Error('injected'), { code: 'ERR_SQLITE_ERROR', errcode: code });
  };
  return {
    name: 'failing',
    open: (path) => {
      const database = real.open(path);
      if (first !== '') database.exec(first);
      return checked(database, check);
    },
    fail: (next, matches = () => true) => {
      code = next;
      picks = matches;
    },
    prepareWith: (sql) => {
      first = sql;
    },
  };
};

const checked = (database: SqliteDatabase, check: (sql: string) => void): SqliteDatabase => ({
  get isTransaction() {
    return database.isTransaction;
  },
  exec: (sql) => {
    check(sql);
    database.exec(sql);
  },
  prepare: (sql) => {
    check(sql);
    const statement = database.prepare(sql);
    return {
      all: (...parameters) => {
        check(sql);
        return statement.all(...parameters);
      },
      run: (...parameters) => {
        check(sql);
        return statement.run(...parameters);
      },
      columns: () => statement.columns(),
      setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
    };
  },
  close: () => database.close(),
});
