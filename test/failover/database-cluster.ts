import { chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { waitUntil } from '../kit/wait-until.ts';
import { addressOf, DATABASE_HOSTS, type HostNetwork } from './host-network.ts';
import { CONTROL_PORT, etcdArguments, POSTGRES_PORT, POSTGRES_PROGRAMS, patroniConfig } from './patroni-config.ts';

export const FAULTS = ['killed', 'cut off', 'paused'] as const;
export type Fault = (typeof FAULTS)[number];

const LIMIT_MS = 120_000;
const LOG_LINES = 20;
const ASK_MS = 1_000;
const WRITE_LIMIT_MS = 4_000;
const HOSTS = DATABASE_HOSTS.map((host) => `${addressOf(host)}:${POSTGRES_PORT}`);

/** A server as Patroni lists it. */
interface Member {
  readonly name: string;
  readonly role: string;
}

/** The address of all servers, as an operator gives it to a node. */
export const CLUSTER_URL = `postgres://postgres@${HOSTS.join()}/postgres?target_session_attrs=read-write`;

export const urlOf = (host: number): string => `postgres://postgres@${addressOf(host)}:${POSTGRES_PORT}/postgres`;

/** The servers of a PostgreSQL database that Patroni manages over etcd, one on each database host. */
export class DatabaseCluster {
  readonly #network: HostNetwork;
  readonly #folder: string;

  constructor(network: HostNetwork, folder: string) {
    this.#network = network;
    this.#folder = folder;
  }

  /** Starts all hosts, and resolves when two standbys follow the primary. */
  async start(account: { readonly uid: number; readonly gid: number }): Promise<void> {
    for (const host of DATABASE_HOSTS) {
      const folder = this.#folderOf(host);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, 'patroni.yml'), JSON.stringify(patroniConfig(host, folder)));
      chownSync(folder, account.uid, account.gid);
      this.#launch(host);
    }
    await this.isWhole();
    await waitUntil('the primary takes writes', LIMIT_MS, async () => {
      const table = ask(urlOf(await this.primary()), 'CREATE TABLE IF NOT EXISTS intruders (round int)');
      return table.then(
        () => true,
        () => false,
      );
    });
  }

  /** Ends every server. */
  async stop(): Promise<void> {
    await Promise.all(DATABASE_HOSTS.map((host) => this.#network.signal(host, 'SIGKILL')));
  }

  /**
   * Resolves when there is a primary with two standbys, and Patroni has recorded the synchronous one. It promotes only
   * the recorded one, and records it up to a few seconds after the server has begun to wait for it.
   */
  isWhole(): Promise<void> {
    return waitUntil('two standbys follow the primary', LIMIT_MS, async () => {
      const [primary, ...others] = await this.#primaries(DATABASE_HOSTS);
      if (primary === undefined || others.length > 0) return false;
      const [row] = await ask(urlOf(primary), FOLLOWERS).catch(() => []);
      if (row?.['followers'] !== 2 || row['synchronous'] === null) return false;
      return row['synchronous'] === (await recordedStandby(primary));
    });
  }

  /** Returns the end of what each Patroni has logged. */
  logs(): string {
    return DATABASE_HOSTS.map((host) => {
      const lines = readFileSync(join(this.#folder, `patroni-${host}.log`), 'utf8')
        .trimEnd()
        .split('\n');
      return [`patroni on host ${host}:`, ...lines.slice(-LOG_LINES)].join('\n');
    }).join('\n');
  }

  /** Returns the host of the primary; waits for one. */
  async primary(except?: number): Promise<number> {
    let found: number | undefined;
    const asked = DATABASE_HOSTS.filter((host) => host !== except);
    await waitUntil('there is a primary', LIMIT_MS, async () => {
      [found] = await this.#primaries(asked);
      return found !== undefined;
    });
    return found as number;
  }

  /** Resolves when the primary on this host has a standby that confirms its commits. It takes no writes before. */
  takesWrites(host: number): Promise<void> {
    return waitUntil('a standby follows the new primary', LIMIT_MS, async () => {
      const [row] = await ask(urlOf(host), FOLLOWERS).catch(() => []);
      return typeof row?.['synchronous'] === 'string';
    });
  }

  break(host: number, fault: Fault): Promise<unknown> {
    if (fault === 'cut off') return this.#network.cut(host);
    return this.#network.signal(host, fault === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  }

  async repair(host: number, fault: Fault): Promise<void> {
    if (fault === 'killed') this.#launch(host);
    else if (fault === 'cut off') await this.#network.join(host);
    else await this.#network.signal(host, 'SIGCONT');
  }

  /** Writes on this host, from the host itself. Returns whether the server acknowledged the write. */
  async accepts(host: number, round: number): Promise<boolean> {
    const write = `INSERT INTO intruders VALUES (${round})`;
    const args = ['-h', addressOf(host), '-U', 'postgres', '-c', write];
    return this.#network.run(host, WRITE_LIMIT_MS, join(POSTGRES_PROGRAMS, 'psql'), args).then(
      () => true,
      () => false,
    );
  }

  async #primaries(hosts: readonly number[]): Promise<number[]> {
    const are = await Promise.all(hosts.map((host) => ask(urlOf(host), IS_PRIMARY).catch(() => [])));
    return hosts.filter((_, at) => are[at]?.[0]?.['primary'] === true);
  }

  #launch(host: number): void {
    const folder = this.#folderOf(host);
    const [etcd, patroni] = ['etcd', 'patroni'].map((name) => openSync(join(this.#folder, `${name}-${host}.log`), 'a'));
    this.#network.start(host, etcd as number, 'etcd', etcdArguments(host, folder));
    this.#network.start(host, patroni as number, 'patroni', [join(folder, 'patroni.yml')]);
  }

  #folderOf(host: number): string {
    return join(this.#folder, `db${host}`);
  }
}

const IS_PRIMARY = 'SELECT NOT pg_is_in_recovery() AS primary';
const FOLLOWERS = `SELECT count(*)::int AS followers,
  (min(application_name) FILTER (WHERE sync_state = 'sync'))::text AS synchronous
  FROM pg_stat_replication WHERE state = 'streaming'`;

/** Returns the name of the standby that Patroni may promote. */
const recordedStandby = async (host: number): Promise<string | undefined> => {
  const reply = await fetch(`http://${addressOf(host)}:${CONTROL_PORT}/cluster`).catch(() => undefined);
  const cluster = (await reply?.json().catch(() => undefined)) as { readonly members?: readonly Member[] } | undefined;
  return cluster?.members?.find(({ role }) => role === 'sync_standby')?.name;
};

/** Returns the rows of one statement. Rejects soon when the server is silent. */
const ask = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    client.connection.stream.destroy();
  }
};
