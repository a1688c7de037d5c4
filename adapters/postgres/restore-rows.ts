import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type OwnedMigration, type RestoredPlace, type RestoreRequest, ServiceError } from '../../ports/ports.ts';
import { ownTables } from '../sql/own-tables.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { COLUMNS, fileOf, POSTGRES_LAYOUT, type RowsDetails } from './copy-rows.ts';
import { copyIn } from './copy-streams.ts';
import { createPostgresStore } from './create-postgres-store.ts';
import { type LoneConnection, onLoneConnection } from './lone-connection.ts';
import { inSchema } from './postgres-address.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { primaryUrl } from './primary-server.ts';

/** The advisory lock of a restore, because two at once would use the same schema. */
const LOCK = 7_349_031_250_118;
const DRAFT = 'fact_memory_restoring';

/**
 * Restores a store from rows. It creates and fills the tables in a temporary schema. One transaction then moves them
 * into the schema of the store, and the former tables aside. See `StoreAdapter.restore`.
 */
export const restoreRows = async (address: string, request: RestoreRequest): Promise<RestoredPlace> => {
  const url = await primaryUrl(address);
  return onLoneConnection(url, async (connection) => {
    const { client, rows } = connection;
    if (request.copy.layout !== POSTGRES_LAYOUT) throw foreignLayout(request.copy.layout);
    const [[hasLock] = []] = await rows(`SELECT pg_try_advisory_lock(${LOCK})::int`);
    if (hasLock !== 1) throw busy('another restore works in this database');
    const [[place = null] = []] = await rows('SELECT quote_ident(current_schema())');
    if (place === null) throw noSchema();
    await requireUnused(connection);
    const former = await storeTables(connection);
    if (former.length > 0 && !request.replaces) throw taken();
    await client.query(`DROP SCHEMA IF EXISTS ${DRAFT} CASCADE`);
    await createDraft(connection);
    try {
      await fill(inSchema(url, DRAFT), request);
      return { keptAside: await moveIn(connection, String(place), former, request.label) };
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      await client.query(`DROP SCHEMA IF EXISTS ${DRAFT} CASCADE`).catch(() => {});
      throw error;
    }
  });
};

/** Creates the tables in the version of the copy, fills them, and migrates the store to the current version. */
const fill = async (url: string, { copy, folder, migrations, prepare, onProgress }: RestoreRequest): Promise<void> => {
  const store = createPostgresStore({ url });
  try {
    await store.migrate(migrationsOf(copy.migrations, migrations));
    const { columns, sequences } = copy.details as unknown as RowsDetails;
    const totalBytes = copy.files.reduce((sum, { bytes }) => sum + bytes, 0);
    await onLoneConnection(url, async (connection) => {
      const { client, rows } = connection;
      await client.query('BEGIN');
      let done = 0;
      for (const [table, own] of Object.entries(columns)) {
        done += await fillTable(connection, { table, own, folder }, (bytes) => onProgress?.(done + bytes, totalBytes));
      }
      for (const { table, column, last } of sequences) {
        await rows(`SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3::int8)`, [table, column, last]);
      }
      await client.query('COMMIT');
      for (const table of Object.keys(columns)) await client.query(`ANALYZE ${identifier(table)}`);
    });
    await prepare(store);
  } finally {
    await store.close();
  }
};

const migrationsOf = (
  applied: RestoreRequest['copy']['migrations'],
  known: readonly OwnedMigration[],
): OwnedMigration[] => {
  const numbers = new Map(known.map((migration) => [migration.number, migration]));
  return applied.map(({ version, owner }) => {
    const migration = numbers.get(Number.parseInt(version, 10));
    if (migration !== undefined && version.endsWith(`_${migration.name}`)) return migration;
    throw new ServiceError('unavailable', `this program does not know the migration ${version} of ${owner}`, {
      hint: 'restore with the version that wrote the backup or a newer one, with the same plugins installed',
    });
  });
};

interface TablePart {
  readonly table: string;
  readonly own: readonly string[];
  readonly folder: string;
}

/** Fills a table and returns the bytes read from the copy. */
const fillTable = async (
  { client, rows }: LoneConnection,
  { table, own, folder }: TablePart,
  onBytes: (bytes: number) => void,
): Promise<number> => {
  const there = new Set((await rows(COLUMNS, [table])).map(([name]) => String(name)));
  if (!own.every((column) => there.has(column))) throw unknownTable(table);
  // Deletes rows that migrations have inserted. A frozen table refuses deletes but has no such rows.
  const [[hasRows] = []] = await rows(`SELECT EXISTS (SELECT 1 FROM ${identifier(table)})::int`);
  if (hasRows === 1) await client.query(`DELETE FROM ${identifier(table)}`);
  let bytes = 0;
  const source = createReadStream(join(folder, fileOf(table)));
  source.on('data', (chunk) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  const target = client.query(copyIn(`COPY ${identifier(table)} (${own.map(identifier).join(', ')}) FROM STDIN`));
  await pipeline(source, createGunzip(), target);
  return bytes;
};

/** Moves a table with its indexes, sequences and triggers. The functions of the triggers move separately. */
const moveIn = async (
  { client, rows }: LoneConnection,
  /** The schema of the store, quoted where necessary. */
  place: string,
  former: readonly string[],
  label: string,
): Promise<string | null> => {
  const aside = `fact_memory_${label}`;
  await client.query('BEGIN');
  await requireUnused({ client, rows });
  if (former.length > 0) {
    await client.query(`CREATE SCHEMA ${aside}`);
    const functions = await rows(FUNCTIONS_OF, [`{${former.join(',')}}`]);
    for (const table of former) await client.query(move('TABLE', identifier(table), aside));
    for (const [name] of functions) await client.query(move('FUNCTION', String(name), aside));
  }
  await client.query(`SET LOCAL search_path = ${DRAFT}`);
  const tables = await rows(postgresDialect.queries.tableNames);
  const functions = await rows(
    `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = '${DRAFT}'::regnamespace`,
  );
  for (const [table] of tables) await client.query(move('TABLE', identifier(String(table)), place));
  for (const [name] of functions) await client.query(move('FUNCTION', String(name), place));
  await client.query(`DROP SCHEMA ${DRAFT}`);
  await client.query('COMMIT');
  return former.length > 0 ? `the schema ${aside} of the same database` : null;
};

const move = (kind: 'TABLE' | 'FUNCTION', name: string, schema: string): string =>
  `ALTER ${kind} ${name} SET SCHEMA ${schema}`;

const FUNCTIONS_OF = `SELECT DISTINCT p.oid::regprocedure::text FROM pg_trigger t
  JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
    AND p.pronamespace = c.relnamespace AND c.relname = ANY($1::text[])`;

const storeTables = async ({ rows }: LoneConnection): Promise<string[]> => {
  const names = (await rows(postgresDialect.queries.tableNames)).map(([name]) => String(name));
  if (!names.includes('schema_migrations')) return [];
  const owners = await rows('SELECT DISTINCT owner FROM schema_migrations');
  return ownTables(
    names,
    owners.map(([owner]) => String(owner)),
  );
};

/**
 * Refuses a store in use, by the connection name that every process of a node has. The server takes a moment to forget
 * the session of a process that has ended, so it is asked more than once.
 */
const requireUnused = async ({ rows }: LoneConnection): Promise<void> => {
  for (let left = ENDED_SESSION_CHECKS; left > 0; left -= 1) {
    const [[count] = []] = await rows(
      `SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'fact-memory-node' AND pid <> pg_backend_pid()`,
    );
    if (Number(count) === 0) return;
    await rows('SELECT pg_sleep(0.1), pg_stat_clear_snapshot()');
  }
  throw busy('a node is connected to this database');
};

const ENDED_SESSION_CHECKS = 10;

/** See `StoreAdapter.requireUnused`. */
export const requireUnusedDatabase = (url: string): Promise<void> => onLoneConnection(url, requireUnused);

const createDraft = async ({ client }: LoneConnection): Promise<void> => {
  try {
    await client.query(`CREATE SCHEMA ${DRAFT}`);
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== NO_RIGHT) throw cause;
    throw new ServiceError('unavailable', 'the user of the database may not create a schema', {
      hint: 'GRANT CREATE ON DATABASE … to the user of SVC_DATABASE_URL, for the time of the restore',
      cause,
    });
  }
};

const NO_RIGHT = '42501';

const busy = (message: string): ServiceError =>
  new ServiceError('conflict', message, { hint: 'stop every process on the store first' });

const taken = (): ServiceError =>
  new ServiceError('conflict', 'the database has a store already', {
    hint: 'give --replace to keep its tables aside in another schema, or restore into another database',
  });

const noSchema = (): ServiceError =>
  new ServiceError('unavailable', 'the database has no schema for the tables', { hint: 'CREATE SCHEMA public' });

const unknownTable = (table: string): ServiceError =>
  new ServiceError('unavailable', `this program makes no table ${table} with the columns of the backup`, {
    hint: 'restore with the version that wrote the backup, with the same plugins installed',
  });

const foreignLayout = (layout: string): ServiceError =>
  new ServiceError('validation', `the backup has the layout ${layout}, which PostgreSQL cannot take`, {
    hint: 'restore it to the engine that it was made of; "export" and "import" move a memory to another engine',
  });

/** Returns the size of the tables with their indexes. The free disk space of the server is unknown to the node. */
export const sizeOfTables = (url: string): Promise<{ readonly storeBytes: number; readonly freeBytes: null }> =>
  onLoneConnection(url, async (connection) => {
    const tables = await storeTables(connection);
    const [[bytes = 0] = []] = await connection.rows(
      `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1::text[])`,
      [`{${tables.join(',')}}`],
    );
    return { storeBytes: Number(bytes), freeBytes: null };
  });
