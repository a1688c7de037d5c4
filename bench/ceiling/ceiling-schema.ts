import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { CeilingColumn, CeilingLayout, CeilingTable } from './ceiling-layout.ts';

type TypeNames = Readonly<Record<CeilingColumn['type'], string>>;

const SQLITE_TYPES: TypeNames = { text: 'TEXT', integer: 'INTEGER', real: 'REAL', bytes: 'BLOB' };

/** Text compares by bytes, as on SQLite. */
const POSTGRES_TYPES: TypeNames = {
  text: 'text COLLATE "C"',
  integer: 'bigint',
  real: 'double precision',
  bytes: 'bytea',
};

const statements = (table: CeilingTable, types: TypeNames, numbered: string): string[] => {
  const columns = table.columns.map(
    ({ name, type, isOptional }) => `${name} ${types[type]}${isOptional === true ? '' : ' NOT NULL'}`,
  );
  if (table.isNumbered === true) columns.unshift(numbered);
  return [`CREATE TABLE ${table.name} (${columns.join(', ')})`, ...table.indexes];
};

/** Returns the statements that create the tables of a layout on PostgreSQL. */
export const postgresTables = ({ tables }: CeilingLayout): string =>
  tables.flatMap((table) => statements(table, POSTGRES_TYPES, 'seq bigserial')).join(';\n');

/** Creates the tables of a layout in an empty file that syncs to disk at every commit. */
export const openCeilingDatabase = (path: string, { tables }: CeilingLayout): DatabaseSyncInstance => {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA wal_autocheckpoint = 20000');
  database.exec('PRAGMA cache_size = -32768');
  database.exec('PRAGMA busy_timeout = 5000');
  for (const table of tables) {
    for (const sql of statements(table, SQLITE_TYPES, 'seq INTEGER PRIMARY KEY')) database.exec(sql);
  }
  return database;
};
