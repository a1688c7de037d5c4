import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from './postgres-process.ts';

/** A database on the shared server of the test run. */
export interface TestDatabase {
  readonly url: string;
  /** Creates the database, empty or as a copy of another one, which must not be in use meanwhile. */
  create(template?: TestDatabase): Promise<void>;
  /** Removes the database and its open connections. Idempotent. */
  drop(): Promise<void>;
}

/** Creates an empty database. Rejects, and so fails the run, when no server is available. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const database = await planTestDatabase();
  await database.create();
  return database;
};

/**
 * Plans a database without creating it. The first call starts a PostgreSQL server, unless `SVC_TEST_DATABASE_URL` names
 * a running one. Rejects like `createTestDatabase`.
 */
export const planTestDatabase = async (): Promise<TestDatabase> => {
  const { url, creation } = await server();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const address = new URL(url);
  address.pathname = `/${name}`;
  const database: TestDatabase = {
    url: address.href,
    create: async (template) => {
      leftOver.add(database);
      const original = template === undefined ? '' : `TEMPLATE ${new URL(template.url).pathname.slice(1)}`;
      await maintain(url, `CREATE DATABASE ${name} ${original} ${creation}`);
    },
    drop: async () => {
      leftOver.delete(database);
      await maintain(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
  return database;
};

/** One connection for the whole run, because opening one takes as long as a statement. */
let maintenance: pg.Pool | undefined;

const maintain = async (url: string, sql: string): Promise<void> => {
  maintenance ??= new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  await maintenance.query(sql);
};

/** Runs statements as a user who may create databases, and returns the rows of the last one. */
export const administer = async (url: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  // A test may stop the server, so a lost connection is no failure.
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
  /** The clause that selects how databases are created. */
  readonly creation: string;
  stop(): Promise<void>;
}

let running: Promise<Server> | undefined;

/** Databases that no test has removed. They remain on a server that outlives the run. */
const leftOver = new Set<TestDatabase>();

const server = (): Promise<Server> => {
  running ??= given() ?? start();
  return running;
};

/** Copying files is the faster strategy when nothing is synced to disk. */
const start = async (): Promise<Server> => ({ ...(await startPostgres()), creation: 'STRATEGY FILE_COPY' });

const given = (): Promise<Server> | undefined => {
  const url = process.env['SVC_TEST_DATABASE_URL'];
  return url ? Promise.resolve({ url, creation: '', stop: async () => {} }) : undefined;
};

// Cleans up at the end of the run. Outside mocha the server ends with the process.
if (typeof after === 'function') {
  after('PostgreSQL stops', async () => {
    const server = await running?.catch(() => undefined);
    for (const database of leftOver) await database.drop();
    running = undefined;
    await maintenance?.end();
    maintenance = undefined;
    await server?.stop();
  });
}
