import { DatabaseSync } from '@photostructure/sqlite';
import type { StoreKind } from '../kit/for-each-store.ts';
import { administer } from '../kit/postgres-server.ts';

/** Returns the number of rows of each table. */
export const countRows = async (kind: StoreKind, place: string): Promise<Record<string, number>> => {
  const rows = kind === 'sqlite' ? fromFile(place) : await administer(place, await countSql(place));
  return Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]));
};

type Rows = Record<string, unknown>[];

const unionOf = (tables: Rows): string =>
  tables.map(({ name }) => `SELECT '${name}' AS name, count(*) AS count FROM "${name}"`).join(' UNION ALL ');

const countSql = async (url: string): Promise<string> =>
  unionOf(
    await administer(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`),
  );

/** A compound statement of SQLite has at most 500 parts, which the node does not reach. */
const fromFile = (path: string): Rows => {
  const database = new DatabaseSync(path);
  const all = (sql: string) => database.prepare(sql).all() as Rows;
  try {
    const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1");
    return tables.flatMap((table) => all(unionOf([table])));
  } finally {
    database.close();
  }
};
