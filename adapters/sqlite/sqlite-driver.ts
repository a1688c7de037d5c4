import { createRequire } from 'node:module';
import type { SqlValue } from '../../ports/ports.ts';

/**
 * The part of a driver that the adapter uses, and that both `node:sqlite` and `@photostructure/sqlite` provide. All
 * calls are synchronous. Errors have SQLite's extended result code in `errcode`.
 */
export interface SqliteDriver {
  readonly name: string;
  /** Opens or creates the file. */
  open(path: string): SqliteDatabase;
}

export interface SqliteDatabase {
  /** Whether a transaction is open. SQLite itself rolls back when the disk is full or fails. */
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  /** Returns rows, as arrays after `setReturnArrays(true)`. */
  all(...parameters: SqlValue[]): unknown[];
  run(...parameters: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  /** Returns the columns of the result; none for a statement without rows. */
  columns(): readonly { readonly name: string }[];
  setReturnArrays(enabled: boolean): void;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
  readonly StatementSync: { readonly prototype: object };
}

/**
 * Loads the driver built into Node if it is complete, otherwise `@photostructure/sqlite`, whose prebuilt binaries need
 * neither a compiler nor an install script.
 */
export const loadSqliteDriver = (): SqliteDriver => {
  const builtIn = builtInModule();
  if (builtIn !== undefined) return driverOf('node:sqlite', builtIn);
  const load = createRequire(import.meta.url);
  const packaged = driverOf('@photostructure/sqlite', load('@photostructure/sqlite') as SqliteModule);
  return { ...packaged, open: (path) => withExactNumbers(packaged.open(path)) };
};

const driverOf = (name: string, { DatabaseSync }: SqliteModule): SqliteDriver => ({
  name,
  open: (path) => new DatabaseSync(path),
});

const builtInModule = (): SqliteModule | undefined => {
  const found = quietly(() => process.getBuiltinModule?.('node:sqlite')) as SqliteModule | undefined;
  return found !== undefined && isComplete(found) ? found : undefined;
};

/** Returns whether the module has all used members. Properties of a database exist only on an open database. */
const isComplete = ({ DatabaseSync, StatementSync }: SqliteModule): boolean => {
  const database = new DatabaseSync(':memory:');
  database.close();
  return (
    'isTransaction' in database && 'columns' in StatementSync.prototype && 'setReturnArrays' in StatementSync.prototype
  );
};

/** Suppresses the warning that the built-in module is experimental. The used part has been stable since it appeared. */
const quietly = <T>(load: () => T): T => {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
};

/**
 * Binds tiny numbers as text. `@photostructure/sqlite` rounds a number less than `Number.EPSILON` above an integer:
 * 1e-17 would become 0, and a weak assertion a retraction. Its SQLite converts the text exactly.
 */
const withExactNumbers = (database: SqliteDatabase): SqliteDatabase => ({
  get isTransaction() {
    return database.isTransaction;
  },
  exec: (sql) => database.exec(sql),
  prepare: (sql) => {
    const statement = database.prepare(sql);
    return {
      all: (...parameters) => {
        try {
          return statement.all(...exact(parameters));
        } catch (error) {
          throw withResultCode(error);
        }
      },
      run: (...parameters) => statement.run(...exact(parameters)),
      columns: () => statement.columns(),
      setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
    };
  },
  close: () => database.close(),
});

const exact = (parameters: SqlValue[]): SqlValue[] => {
  for (let at = 0; at < parameters.length; at += 1) {
    const value = parameters[at];
    if (typeof value === 'number' && value > 0 && value < Number.EPSILON) parameters[at] = String(value);
  }
  return parameters;
};

/**
 * Adds the missing result code to an error. `@photostructure/sqlite` omits it when a statement of `all` fails while it
 * runs, so that a full disk would look like a bug. The code follows from SQLite's message, which is the same in every
 * release.
 */
const withResultCode = (error: unknown): unknown => {
  if (!(error instanceof Error) || 'errcode' in error) return error;
  const [, errcode] = RESULT_CODES.find(([message]) => error.message.includes(message)) ?? [];
  return errcode === undefined ? error : Object.assign(error, { errcode });
};

const RESULT_CODES: readonly (readonly [string, number])[] = [
  ['database is locked', 5],
  ['database table is locked', 6],
  ['database schema is locked', 6],
  ['out of memory', 7],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['locking protocol', 15],
  ['constraint failed', 19],
  ['file is not a database', 26],
];
