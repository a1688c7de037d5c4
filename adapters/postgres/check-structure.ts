import type { StructureCheck, StructureProgress } from '../../ports/ports.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { type LoneConnection, onLoneConnection } from './lone-connection.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { isDamage } from './postgres-errors.ts';

const HAS_AMCHECK = `SELECT count(*) FROM pg_proc
  WHERE proname = 'bt_index_check' AND pronargs = 2 AND pg_function_is_visible(oid)
  AND has_function_privilege(oid, 'EXECUTE')`;

const INDEXES = `SELECT c.oid::text, c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_am a ON a.oid = c.relam
  WHERE c.relnamespace = current_schema()::regnamespace AND a.amname = 'btree' ORDER BY c.relname`;

/**
 * Compares tables with their indexes. It uses the extension amcheck where the database has it, and counts rows with and
 * without indexes elsewhere. A connection of its own has no time limit for statements.
 */
export const checkStructure = (url: string, onProgress: StructureProgress): Promise<StructureCheck> =>
  onLoneConnection(url, async (connection) => {
    const [[functions] = []] = await connection.rows(HAS_AMCHECK);
    if (Number(functions) > 0) {
      const faults = await checkIndexes(connection, onProgress);
      return { method: 'amcheck of PostgreSQL, tables against indexes', faults };
    }
    const faults = await compareCounts(connection, onProgress);
    return { method: 'counts of rows with and without indexes; CREATE EXTENSION amcheck for a full check', faults };
  });

const checkIndexes = async ({ rows }: LoneConnection, onProgress: StructureProgress): Promise<string[]> => {
  const indexes = await rows(INDEXES);
  const faults: string[] = [];
  for (const [at, [oid, name]] of indexes.entries()) {
    const check = rows('SELECT bt_index_check($1::oid::regclass, true)', [String(oid)]);
    faults.push(...(await faultsOf(`the index ${name}`, check)));
    onProgress(at + 1, indexes.length);
  }
  return faults;
};

const BY_TABLE = 'SET enable_seqscan = on; SET enable_indexscan = off; SET enable_indexonlyscan = off';
const BY_INDEX = 'SET enable_seqscan = off; SET enable_indexscan = on; SET enable_indexonlyscan = on';

const compareCounts = async ({ client, rows }: LoneConnection, onProgress: StructureProgress): Promise<string[]> => {
  const names = (await rows(postgresDialect.queries.tableNames)).map(([name]) => String(name));
  const faults: string[] = [];
  await client.query('SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0');
  for (const [at, name] of names.entries()) {
    const count = `SELECT count(*) FROM ${identifier(name)}`;
    const compare = async (): Promise<void> => {
      // Uses one snapshot, so that both counts leave out rows that other transactions insert meanwhile.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      try {
        await client.query(BY_TABLE);
        const [[inTable] = []] = await rows(count);
        await client.query(BY_INDEX);
        const [[inIndex] = []] = await rows(count);
        if (inTable !== inIndex) faults.push(`${name}: an index has ${inIndex} of ${inTable} rows`);
      } finally {
        await client.query('ROLLBACK');
      }
    };
    faults.push(...(await faultsOf(name, compare())));
    onProgress(at + 1, names.length);
  }
  return faults;
};

/** Returns the fault that the server reports; empty without one. Rejects for every other error. */
const faultsOf = async (subject: string, check: Promise<unknown>): Promise<readonly string[]> => {
  try {
    await check;
    return [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [`${subject} is damaged: the log of the database server says where`];
  }
};
