import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../kit/free-port.ts';
import { unprivilegedAccount } from '../kit/postgres-process.ts';

/** A pooler in transaction mode, in front of every database of one server. */
export interface PgbouncerProcess {
  /** Returns the address of a database by way of the pooler. */
  addressOf(url: string): string;
  stop(): Promise<void>;
}

/** The sessions that all connections to one database share: the default of PgBouncer. */
export const POOLED_SESSIONS = 20;

/** Debian installs the program outside the search path of most users. */
const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

export const isPgbouncerInstalled = (): boolean =>
  spawnSync('pgbouncer', ['--version'], { env: { PATH: SEARCH_PATH } }).status === 0;

/** Starts PgBouncer for the server of this database. Rejects with its log when it does not listen. */
export const startPgbouncer = async (serverUrl: string): Promise<PgbouncerProcess> => {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  const target = `host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`;
  // In turns, so that consecutive transactions of one connection get different sessions.
  await writeFile(
    settings,
    `[databases]
* = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOLED_SESSIONS}
server_round_robin = 1
max_client_conn = 500
query_wait_timeout = 30
`,
  );
  await Promise.all([chmod(folder, 0o755), chmod(settings, 0o644)]);
  const account = await unprivilegedAccount();
  const child = spawn('pgbouncer', [settings], {
    ...account,
    env: { PATH: SEARCH_PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer did not start for the tests:\n${log}`)));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      if (log.includes('listening on')) resolve();
    });
  });
  return {
    addressOf: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
