import { createHash } from 'node:crypto';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

const STORED = 'SELECT epoch FROM node_clock WHERE id = 1';

/**
 * What else tells one history of a database from another: the cluster, and its timeline, which is a new one after every
 * promotion and every recovery to a point in time. Read from the name of the log file, because the control file follows
 * only with the next checkpoint. Both are open to everybody unless the server's owner has said otherwise.
 */
const MAY_READ_HISTORY = `SELECT has_function_privilege('pg_control_system()', 'execute')
  AND has_function_privilege('pg_current_wal_lsn()', 'execute') AND has_function_privilege('pg_walfile_name(pg_lsn)', 'execute')`;
const HISTORY = `SELECT system_identifier::text, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system()`;

/** See `Snapshot.epoch`. What it is made of on PostgreSQL concerns nobody outside, so that it is a digest. */
export const readEpoch = async (session: SqlSession, dialect: SqlDialect): Promise<string> => {
  const [row] = await session.rows(STORED, []);
  if (row === undefined) throw new Error('the store has no clock: it was not migrated');
  const stored = row[0] as string;
  if (dialect.name === 'sqlite') return stored;
  const [[mayRead] = []] = await session.rows(MAY_READ_HISTORY, []);
  const [history = []] = mayRead === 1 ? await session.rows(HISTORY, []) : [];
  return createHash('sha256')
    .update([stored, ...history].join(' '))
    .digest('hex')
    .slice(0, EPOCH_CHARACTERS);
};

const EPOCH_CHARACTERS = 32;
