import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../test/kit/postgres-process.ts';
import { administer } from '../../test/kit/postgres-server.ts';
import { postgresCpuMs, postgresServerPid } from './postgres-cpu.ts';

/** A PostgreSQL server that loses nothing when the power goes, as an operator's would be. */
export interface BenchPostgres {
  /** Answers the address of an empty database. */
  createDatabase(): Promise<string>;
  /** Answers the address of a copy of a database that nobody is connected to. */
  copyDatabase(address: string): Promise<string>;
  /** Processor time of all its processes so far, in milliseconds; null where it cannot be read. */
  cpuMs(): number | null;
  /** Removes the databases, and ends the server if it was started here. */
  stop(): Promise<void>;
}

/** Settings that the tests leave out. */
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', shared_buffers: '256MB' };

/** Starts a server, or takes the one that `SVC_TEST_DATABASE_URL` names. Rejects one that is not durable. */
export const startBenchPostgres = async (): Promise<BenchPostgres> => {
  const given = process.env['SVC_TEST_DATABASE_URL'];
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startPostgres(DURABLE);
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
      createDatabase: () => create(''),
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

/** Answers the number of the server's first process, null when it runs on another machine. */
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
