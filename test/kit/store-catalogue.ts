import { DatabaseSync } from '@photostructure/sqlite';
import { administer } from './postgres-server.ts';
import type { TestStore } from './test-store.ts';

/** An index or a key of a table. */
export interface CatalogueIndex {
  readonly table: string;
  readonly name: string;
  readonly isUnique: boolean;
  /** The columns in order. An expression is null on SQLite. */
  readonly columns: readonly (string | null)[];
}

/** The tables of a database. */
export interface Catalogue {
  /** For each table its columns in order: name, type, and whether null is allowed. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Indexes by name. The row number is a key only on PostgreSQL; on SQLite it is the built-in row id. */
  readonly indexes: readonly CatalogueIndex[];
}

export const readCatalogue = async ({ settings }: TestStore): Promise<Catalogue> => {
  const { url, path } = settings as { readonly url?: string; readonly path?: string };
  const [columns, indexes] =
    url === undefined
      ? readFile(String(path))
      : [await administer(url, POSTGRES_COLUMNS), await administer(url, POSTGRES_INDEXES)];
  const byTable: Record<string, string[]> = {};
  for (const row of columns) {
    const table = String(row['tbl']);
    byTable[table] = [...(byTable[table] ?? []), `${row['name']} ${row['type']} ${row['needed'] ? 'not null' : ''}`];
  }
  return {
    columns: byTable,
    indexes: indexes.map((row) => ({
      table: String(row['tbl']),
      name: String(row['name']),
      isUnique: Number(row['uniq']) === 1,
      columns: JSON.parse(String(row['cols'])) as (string | null)[],
    })),
  };
};

type Rows = readonly Record<string, unknown>[];

const readFile = (path: string): readonly [Rows, Rows] => {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return [database.prepare(SQLITE_COLUMNS).all() as Rows, database.prepare(SQLITE_INDEXES).all() as Rows];
  } finally {
    database.close();
  }
};

const SQLITE_TABLES = `sqlite_schema AS t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

const SQLITE_COLUMNS = `SELECT t.name AS tbl, c.name, c.type, c."notnull" AS needed
  FROM pragma_table_info(t.name) AS c, ${SQLITE_TABLES} ORDER BY t.name, c.cid`;

const SQLITE_INDEXES = `SELECT t.name AS tbl, i.name, i."unique" AS uniq,
    (SELECT json_group_array(name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) AS cols
  FROM pragma_index_list(t.name) AS i, ${SQLITE_TABLES} ORDER BY t.name, i.name`;

const POSTGRES_COLUMNS = `SELECT relname AS tbl, attname AS name, format_type(atttypid, atttypmod) AS type,
    attnotnull AS needed
  FROM pg_attribute JOIN pg_class t ON t.oid = attrelid
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;

const POSTGRES_INDEXES = `SELECT t.relname AS tbl, i.relname AS name, indisunique::int AS uniq,
    (SELECT json_agg(pg_get_indexdef(indexrelid, n, true) ORDER BY n) FROM generate_series(1, indnkeyatts) n)::text AS cols
  FROM pg_index JOIN pg_class t ON t.oid = indrelid JOIN pg_class i ON i.oid = indexrelid
  WHERE t.relnamespace = current_schema()::regnamespace
  ORDER BY t.relname, i.relname`;
