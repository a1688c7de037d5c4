import { createHash } from 'node:crypto';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

const STORED = 'SELECT epoch FROM node_clock WHERE id = 1';

/**
 * Reads the epoch of the store: see `Snapshot.epoch`. When it includes the private history of the database, it is a
 * digest.
 */
export const readEpoch = async (session: SqlSession, dialect: SqlDialect): Promise<string> => {
  const [row] = await session.rows(STORED, []);
  if (row === undefined) throw new Error('the store has no clock: it was not migrated');
  const stored = row[0] as string;
  const { history: queries } = dialect.queries;
  if (queries === undefined) return stored;
  const [[mayRead] = []] = await session.rows(queries.mayRead, []);
  const [history = []] = mayRead === 1 ? await session.rows(queries.read, []) : [];
  return createHash('sha256')
    .update([stored, ...history].join(' '))
    .digest('hex')
    .slice(0, EPOCH_CHARACTERS);
};

const EPOCH_CHARACTERS = 32;
