import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from './postgres-process.ts';

/** An empty database on the run's server. */
export interface TestDatabase {
  readonly url: string;
  /** Makes it anew as a copy of another one, which nobody may use meanwhile. */
  becomeCopy(template: TestDatabase): Promise<void>;
  /** Removes it, with any open connections. Idempotent. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database. The first call of a run starts a PostgreSQL server, unless `SVC_TEST_DATABASE_URL` names
 * one that is there already, by a user who may create databases. Rejects, and so fails the run, when there is none to
 * be had.
 */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const { url, creation } = await server();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(url, `CREATE DATABASE ${name} ${creation}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  const database = {
    url: address.href,
    becomeCopy: async (template: TestDatabase) => {
      const original = new URL(template.url).pathname.slice(1);
      await administer(url, `DROP DATABASE ${name}`, `CREATE DATABASE ${name} TEMPLATE ${original} ${creation}`);
    },
    drop: async () => {
      leftOver.delete(database);
      await administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
  leftOver.add(database);
  return database;
};

/** Runs statements as the user who may create databases, and answers with the rows of the last one. */
export const administer = async (url: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  // Losing the connection afterwards, when a test stops the server, is nobody's failure.
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) ({ rows } = await client.query(sql));
    return rows;
  } finally {
    await client.end();
  }
};

interface Server {
  readonly url: string;
  /** How its databases are created. */
  readonly creation: string;
  stop(): Promise<void>;
}

let running: Promise<Server> | undefined;

/** Databases that no test has removed. They matter on a server that outlives the run. */
const leftOver = new Set<TestDatabase>();

const server = (): Promise<Server> => {
  running ??= given() ?? start();
  return running;
};

/** Copying files is the faster way where nothing is synced. */
const start = async (): Promise<Server> => ({ ...(await startPostgres()), creation: 'STRATEGY FILE_COPY' });

const given = (): Promise<Server> | undefined => {
  const url = process.env['SVC_TEST_DATABASE_URL'];
  return url ? Promise.resolve({ url, creation: '', stop: async () => {} }) : undefined;
};

// At the end of the run. Outside mocha the server goes with the process.
if (typeof after === 'function') {
  after('PostgreSQL stops', async () => {
    const server = await running?.catch(() => undefined);
    for (const database of leftOver) await database.drop();
    running = undefined;
    await server?.stop();
  });
}
