import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../test/kit/postgres-process.ts';
import { administer } from '../../test/kit/postgres-server.ts';
import { startVectorServer } from '../../test/kit/vector-server.ts';
import { postgresCpuMs, postgresServerPid } from './postgres-cpu.ts';

/** A PostgreSQL server with durable settings, as in production. */
export interface BenchPostgres {
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /** Copies a database that has no connections, and returns the address of the copy. */
  copyDatabase(address: string): Promise<string>;
  /** The processor time of all its processes so far, in milliseconds; null where the system does not report it. */
  cpuMs(): number | null;
  /** Removes the databases, and stops the server if it was started here. */
  stop(): Promise<void>;
}

/** The settings that make commits durable. Tests switch them off. */
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', shared_buffers: '256MB' };

/**
 * Starts a server, or uses the one that `SVC_TEST_DATABASE_URL` names. Rejects a server that is not durable. With
 * `hasVectors`, each new database has pgvector.
 */
export const startBenchPostgres = async (hasVectors = false): Promise<BenchPostgres> => {
  const given = process.env['SVC_TEST_DATABASE_URL'];
  const { url, stop } = given ? { url: given, stop: async () => {} } : await started(hasVectors);
  const databases: string[] = [];
  const create = async (template: string): Promise<string> => {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await administer(url, `CREATE DATABASE ${name} ${template}`);
    databases.push(name);
    const address = new URL(url);
    address.pathname = `/${name}`;
    return address.href;
  };
  try {
    const server = await inspect(url);
    return {
      async createDatabase() {
        const address = await create('');
        if (hasVectors) await administer(address, 'CREATE EXTENSION vector');
        return address;
      },
      copyDatabase: (address) => create(`TEMPLATE ${new URL(address).pathname.slice(1)}`),
      cpuMs: () => (server === null ? null : postgresCpuMs(server)),
      async stop() {
        for (const name of databases) await administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

const started = async (hasVectors: boolean) => {
  const server = await (hasVectors ? startVectorServer(DURABLE) : startPostgres(DURABLE));
  if (server === undefined) throw new Error('pip could not install a server with pgvector: set SVC_TEST_DATABASE_URL');
  return server;
};

/** Returns the process id of the server's main process, null when it runs on another machine. */
const inspect = async (url: string): Promise<number | null> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT pg_backend_pid() AS pid, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS commits`);
    const [{ pid, fsync, pages, commits }] = rows as [Record<'pid' | 'fsync' | 'pages' | 'commits', string>];
    if (fsync !== 'on' || pages !== 'on' || commits !== 'on') {
      throw new Error(
        'the server of SVC_TEST_DATABASE_URL is not durable: turn on fsync, full_page_writes, synchronous_commit',
      );
    }
    return postgresServerPid(Number(pid));
  } finally {
    await client.end();
  }
};
