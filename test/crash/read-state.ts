import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import pg from 'pg';
import { fewPlugins } from '../kit/few-plugins.ts';
import type { NodeProcesses } from '../kit/node-processes.ts';
import { STATE_QUERIES, type StateQuery, type StateRow, type StoredState, toStoredState } from './stored-state.ts';

/** Only the plugins whose tables are part of the state. */
export const STATE_PLUGINS = fewPlugins('billing', 'fact-chain');

/** Reads the whole store of the nodes, running or killed, in one consistent state. */
export const readStateOf = ({ kind, place }: Pick<NodeProcesses, 'kind' | 'place'>): Promise<StoredState> =>
  kind === 'sqlite' ? Promise.resolve().then(() => readStoredState(place)) : readDatabaseState(place);

/** Reads the whole state of an SQLite file, which may be a copy. */
export const readStoredState = (path: string): StoredState => {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec('BEGIN');
    return toStoredState((query) => all(database, STATE_QUERIES[query]), damageOf(database));
  } finally {
    database.close();
  }
};

const all = (database: DatabaseSyncInstance, sql: string): StateRow[] => database.prepare(sql).all() as StateRow[];

/** Returns the problems that the integrity check of SQLite finds in the file. */
const damageOf = (database: DatabaseSyncInstance): string[] => [
  ...all(database, 'PRAGMA integrity_check')
    .map((row) => String(Object.values(row)[0]))
    .filter((line) => line !== 'ok'),
  ...all(database, 'PRAGMA foreign_key_check').map((row) => `foreign key: ${JSON.stringify(row)}`),
];

const readDatabaseState = async (url: string): Promise<StoredState> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const rows = new Map<string, StateRow[]>();
    for (const [query, sql] of Object.entries(STATE_QUERIES)) rows.set(query, (await client.query<StateRow>(sql)).rows);
    return toStoredState((query: StateQuery) => rows.get(query) ?? [], []);
  } finally {
    await client.end();
  }
};
