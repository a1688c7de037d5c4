import { randomBytes } from 'node:crypto';
import { type PgliteServer, startPglite } from './pglite-server.ts';
import { administer } from './postgres-server.ts';

/** An empty PostgreSQL database with pgvector 0.8 or later. */
export interface VectorPostgres {
  /** Its address, as superuser. */
  readonly url: string;
  /** Removes all tables. No connection may be open. */
  empty(): Promise<void>;
  /** Removes the database. Idempotent. */
  stop(): Promise<void>;
}

const EMPTY = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE EXTENSION vector';

/**
 * Starts a database on the server of `SVC_TEST_VECTOR_DATABASE_URL`. Without the variable it starts PGlite, which npm
 * installs: a whole PostgreSQL, but with a single session for all connections, so that transactions wait for each
 * other. Later suites of the process reuse it, because its start takes three seconds.
 */
export const startVectorPostgres = async (): Promise<VectorPostgres> => {
  const given = process.env['SVC_TEST_VECTOR_DATABASE_URL'];
  return given ? onServer(given) : onPglite();
};

const onServer = async (server: string): Promise<VectorPostgres> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await administer(server, `CREATE DATABASE ${name}`);
  await administer(url.href, 'CREATE EXTENSION vector');
  return {
    url: url.href,
    empty: async () => void (await administer(url.href, EMPTY)),
    stop: async () => void (await administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
};

let free: PgliteServer | undefined;

const onPglite = async (): Promise<VectorPostgres> => {
  const server = free ?? (await startPglite());
  free = undefined;
  let isHeld = true;
  const empty = async (): Promise<void> => {
    await server.run('DISCARD ALL');
    await server.run(EMPTY);
  };
  await empty();
  return {
    url: server.url,
    empty,
    async stop() {
      if (!isHeld) return;
      isHeld = false;
      await free?.stop();
      free = server;
    },
  };
};

// Cleans up at the end of the run. Outside mocha the database ends with the process.
if (typeof after === 'function') {
  after('PGlite stops', async () => {
    await free?.stop();
    free = undefined;
  });
}
