import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

export interface StoreSize {
  /** The bytes of tables and indexes. Excludes the search tables, the log, and free space inside a file. */
  readonly bytes: number;
  readonly facts: number;
}

/** Measures a store that servers may have open: a file, or a PostgreSQL database by its address. */
export const storeSize = (database: string): Promise<StoreSize> =>
  /^postgres(ql)?:/.test(database) ? databaseSize(database) : Promise.resolve(fileSize(database));

/**
 * Returns the bytes of one additional fact, from two measurements of a store; null when there was no additional fact.
 */
export const bytesPerFact = (before: StoreSize, after: StoreSize): number | null =>
  after.facts > before.facts ? (after.bytes - before.bytes) / (after.facts - before.facts) : null;

/**
 * The prefix of tables that do not count. Search derives its data later, in the background, so its size would vary by
 * chance.
 */
const NOT_COUNTED = 'search';

const FILE_SIZE = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT sum(pgsize) FROM dbstat WHERE name NOT IN
  (SELECT name FROM sqlite_schema WHERE tbl_name LIKE '${NOT_COUNTED}%')) AS bytes`;

const DATABASE_SIZE = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT sum(pg_total_relation_size(oid))
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND relname NOT LIKE '${NOT_COUNTED}%') AS bytes`;

/** Pages that only the log holds count too, because the next checkpoint moves them into the file. */
const fileSize = (path: string): StoreSize => {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    return file.prepare(FILE_SIZE).get() as unknown as StoreSize;
  } finally {
    file.close();
  }
};

const databaseSize = async (url: string): Promise<StoreSize> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(DATABASE_SIZE);
    const [{ bytes, facts }] = rows as [Record<keyof StoreSize, string>];
    return { bytes: Number(bytes), facts: Number(facts) };
  } finally {
    await client.end();
  }
};
