import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CopiedFile, CopyOptions, StoreCopy } from '../../ports/ports.ts';
import { syncPath, writeDurably } from '../files/durable-file.ts';
import { describeCopy } from '../sql/describe-copy.ts';
import { ownTables } from '../sql/own-tables.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { copyOut } from './copy-streams.ts';
import { type LoneConnection, onLoneConnection } from './lone-connection.ts';
import { postgresDialect } from './postgres-dialect.ts';

/** The layout of a copy: a compressed file with the rows of each table, in the format of COPY. */
export const POSTGRES_LAYOUT = 'postgres-rows-1';

/** Details of the layout: the columns of each table in the order of their values, and the positions of sequences. */
export interface RowsDetails {
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly sequences: readonly { readonly table: string; readonly column: string; readonly last: string }[];
}

/** The lowest compression level, because a better compression would be slower than the server sends rows. */
const COMPRESSION_LEVEL = 1;

/**
 * Writes the rows of all tables of the store, from one snapshot and without a lock. Skips other tables in the database.
 * See `FactStore.copyInto`.
 */
export const copyRows = (url: string, folder: string, options: CopyOptions): Promise<StoreCopy> =>
  onLoneConnection(url, (connection) => copyFrom(connection, folder, options), options);

export const fileOf = (table: string): string => `${table}.copy.gz`;

const copyFrom = async (connection: LoneConnection, folder: string, options: CopyOptions): Promise<StoreCopy> => {
  const { client, rows: ask } = connection;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const names = (await ask(postgresDialect.queries.tableNames)).map(([name]) => String(name));
  const owners = names.includes('schema_migrations') ? await ask('SELECT DISTINCT owner FROM schema_migrations') : [];
  const tables = ownTables(
    names,
    owners.map(([owner]) => String(owner)),
  );
  const described = await describeCopy(tables, ask);
  const total = Number((await ask(SIZE, [`{${tables.join(',')}}`]))[0]?.[0] ?? 0);
  const files: CopiedFile[] = [];
  const counts: Record<string, number> = {};
  const columns: Record<string, readonly string[]> = {};
  let done = 0;
  for (const table of tables) {
    const own = (await ask(COLUMNS, [table])).map(([name]) => String(name));
    columns[table] = own;
    let read = 0;
    const copied = await copyTable(connection, { table, columns: own, folder }, (bytes) => {
      read = bytes;
      options.onProgress?.(Math.min(done + bytes, total), total);
    });
    done += read;
    counts[table] = copied.rows;
    files.push(copied.file);
  }
  // Reads the sequences last, because a snapshot does not contain them. They are then at least as far as the rows.
  const sequences = (await ask(SEQUENCES, [`{${tables.join(',')}}`])).map(([table, column, last]) => ({
    table: String(table),
    column: String(column),
    last: String(last),
  }));
  await client.query('COMMIT');
  await syncPath(folder);
  const details: RowsDetails = { columns, sequences };
  return { layout: POSTGRES_LAYOUT, files, ...described, tables: counts, details: { ...details } };
};

interface TablePart {
  readonly table: string;
  readonly columns: readonly string[];
  readonly folder: string;
}

const copyTable = async (
  { client }: LoneConnection,
  { table, columns, folder }: TablePart,
  onBytes: (bytes: number) => void,
): Promise<{ readonly rows: number; readonly file: CopiedFile }> => {
  const rows = client.query(copyOut(`COPY ${identifier(table)} (${columns.map(identifier).join(', ')}) TO STDOUT`));
  let bytes = 0;
  const counted = new PassThrough();
  counted.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  const packed = createGzip({ level: COMPRESSION_LEVEL });
  const [, written] = await Promise.all([
    pipeline(rows, counted, packed),
    writeDurably(join(folder, fileOf(table)), packed),
  ]);
  return { rows: rows.rowCount, file: { name: fileOf(table), ...written } };
};

const SIZE = `SELECT coalesce(sum(pg_table_size(c.oid)), 0)::int8 FROM pg_class c
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1::text[])`;

export const COLUMNS = `SELECT attname FROM pg_attribute
  WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
  ORDER BY attnum`;

/** Selects the sequences in a first step, because reading the last value of any other relation is an error. */
const SEQUENCES = `WITH owned AS MATERIALIZED (
    SELECT c.relname AS owner, a.attname AS member, s.oid AS sequence FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
      AND d.deptype IN ('a', 'i')
    JOIN pg_class c ON c.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1::text[])
  ), reached AS MATERIALIZED (
    SELECT owner, member, pg_sequence_last_value(sequence) AS last FROM owned
  )
  SELECT owner, member, last::text FROM reached WHERE last IS NOT NULL ORDER BY 1, 2`;
