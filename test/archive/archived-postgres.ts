import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Variables } from '../adapters/cli/spawned-program.ts';
import { POSTGRES_PROGRAMS } from '../failover/patroni-config.ts';
import { freePort } from '../kit/free-port.ts';
import { administer } from '../kit/postgres-server.ts';
import { waitUntil } from '../kit/wait-until.ts';
import type { PageMachine } from '../plugins/backup/page-machine.ts';

const UNIT = 'postgresql@15-main';
const DATABASE = 'memory';
const LOOK_MS = 100;
const END_LIMIT_MS = 60_000;
const PROGRAMS = ['/usr/bin/pgbackrest', '/usr/sbin/runuser', join(POSTGRES_PROGRAMS, 'postgres')];

/** Throws where the machine cannot run these tests, and says how to change that. */
export const requireArchiveTool = (): void => {
  const missing = PROGRAMS.filter((path) => !existsSync(path));
  if (process.platform === 'linux' && process.getuid?.() === 0 && missing.length === 0) return;
  const names = missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`;
  throw new Error(`needs root on Debian 12, and "apt-get install pgbackrest postgresql-15"${names}`);
};

/**
 * A PostgreSQL server in the layout of Debian, below a folder of its own, whose archive the commands of the page switch
 * on. The folder must be open to the account `postgres`.
 */
export class ArchivedPostgres {
  readonly #folder: string;
  readonly #port: number;
  /** The folders of the page, and what they are here. */
  readonly names: Readonly<Record<string, string>>;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.names = {
      '/etc/pgbackrest.conf': join(folder, 'pgbackrest.conf'),
      '/etc/postgresql/15/main': join(folder, 'etc'),
      '/var/lib/postgresql/15/main': this.data,
    };
  }

  static async below(folder: string): Promise<ArchivedPostgres> {
    const server = new ArchivedPostgres(folder, await freePort());
    const { uid, gid } = accountOfServer();
    chmodSync(folder, 0o755);
    for (const name of ['etc', 'etc/conf.d', 'socket', 'lib', 'log', 'lock']) {
      mkdirSync(join(folder, name));
      chownSync(join(folder, name), uid, gid);
    }
    writeFileSync(join(folder, 'etc/pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n');
    const settings = {
      data_directory: server.data,
      hba_file: join(folder, 'etc/pg_hba.conf'),
      unix_socket_directories: join(folder, 'socket'),
      listen_addresses: '127.0.0.1',
      port: server.#port,
      // Only processes are killed here, and no machine.
      fsync: 'off',
      include_dir: 'conf.d',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    writeFileSync(join(folder, 'etc/postgresql.conf'), lines.join(''));
    return server;
  }

  get data(): string {
    return join(this.#folder, 'lib/main');
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${DATABASE}`;
  }

  /** Where the programs of the page find this server in the place of the only one of a machine. */
  get env(): Variables {
    return {
      PGHOST: join(this.#folder, 'socket'),
      PGPORT: String(this.#port),
      PGBACKREST_CONFIG: join(this.#folder, 'pgbackrest.conf'),
      PGBACKREST_PG1_PORT: String(this.#port),
      PGBACKREST_PG1_SOCKET_PATH: join(this.#folder, 'socket'),
      PGBACKREST_LOG_PATH: join(this.#folder, 'log'),
      PGBACKREST_LOCK_PATH: join(this.#folder, 'lock'),
    };
  }

  /** Makes the cluster on a machine, as a unit of its service manager, with an empty database. */
  async create(machine: PageMachine): Promise<void> {
    const control = `${POSTGRES_PROGRAMS}/pg_ctl -D ${this.data} -w -t 120 -l ${this.#folder}/log/server.log`;
    const options = `-o "-c config_file=${this.#folder}/etc/postgresql.conf"`;
    machine.script(
      UNIT,
      `#!/bin/sh
cd "${this.#folder}"
status() { runuser -u postgres -- ${control} status >/dev/null 2>&1; }
case "$1" in stop | restart) ! status || runuser -u postgres -- ${control} stop || exit 1 ;; esac
case "$1" in start | restart) runuser -u postgres -- ${control} ${options} start </dev/null >/dev/null 2>&1 ;; esac
`,
    );
    const initialize = `${POSTGRES_PROGRAMS}/initdb -D ${this.data} --locale=C.UTF-8 -A trust`;
    await machine.type(`cd ${this.#folder} && runuser -u postgres -- ${initialize} && systemctl start ${UNIT}`);
    await machine.type(`runuser -u postgres -- psql -c 'CREATE DATABASE ${DATABASE}'`);
  }

  ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return administer(this.url, sql);
  }

  /** Resolves when everything that is committed now is in the archive. */
  async archived(): Promise<void> {
    const [now] = await this.ask('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS file');
    for (;;) {
      const [seen] = await this.ask('SELECT last_archived_wal AS file FROM pg_stat_archiver');
      if (String(seen?.['file'] ?? '') >= String(now?.['file'])) return;
      await pause(LOOK_MS);
    }
  }

  /** Kills the server at once, and takes its disk. */
  lose(): void {
    this.#signal('SIGKILL');
    rmSync(this.data, { recursive: true, force: true });
    mkdirSync(this.data);
  }

  /** Ends the server, and removes its folder. */
  async remove(): Promise<void> {
    this.#signal('SIGQUIT');
    await waitUntil('the server has ended', END_LIMIT_MS, () => !existsSync(join(this.data, 'postmaster.pid')));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #signal(signal: NodeJS.Signals): void {
    const file = join(this.data, 'postmaster.pid');
    if (!existsSync(file)) return;
    const [pid = ''] = readFileSync(file, 'utf8').split('\n');
    process.kill(Number(pid), signal);
  }
}

const accountOfServer = (): { readonly uid: number; readonly gid: number } => {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:'));
  const [, , uid, gid] = (line ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
};
