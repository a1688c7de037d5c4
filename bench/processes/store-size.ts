import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

export interface StoreSize {
  /** Of tables and indexes, without those of search, the log, and free space inside a file. */
  readonly bytes: number;
  readonly facts: number;
}

/** Measures a store that servers may have open: a file, or a PostgreSQL database by its address. */
export const storeSize = (database: string): Promise<StoreSize> =>
  /^postgres(ql)?:/.test(database) ? databaseSize(database) : Promise.resolve(fileSize(database));

/** Bytes that one more fact takes, from two measurements of a store; null when there was none. */
export const bytesPerFact = (before: StoreSize, after: StoreSize): number | null =>
  after.facts > before.facts ? (after.bytes - before.bytes) / (after.facts - before.facts) : null;

/** Search derives its data later, in the background, so its size would count by chance. */
const NOT_COUNTED = 'search';

const FILE_SIZE = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT sum(pgsize) FROM dbstat WHERE name NOT IN
  (SELECT name FROM sqlite_schema WHERE tbl_name LIKE '${NOT_COUNTED}%')) AS bytes`;

const DATABASE_SIZE = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT sum(pg_total_relation_size(oid))
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND relname NOT LIKE '${NOT_COUNTED}%') AS bytes`;

/** Pages that are in the log alone count: the next checkpoint puts them into the file. */
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
