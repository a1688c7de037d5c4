import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type PostgresBinaries, placePostgresBinaries } from './postgres-binaries.ts';
import { diskPlace, scratchPlace } from './scratch-place.ts';

/**
 * A PostgreSQL server for tests, on a loopback port. Its folders are removed when it stops or the test process ends.
 */
export interface PostgresProcess {
  /** The address of its maintenance database, as superuser. */
  readonly url: string;
  readonly data: string;
  /** Stops the server without removing its data. `crash` simulates a power failure. */
  halt(how?: 'fast' | 'crash'): Promise<void>;
  /** Restarts the server on the same port and data. */
  resume(): Promise<void>;
  /** Stops the server and removes its folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Fast settings without durability. Only the crash tests need durability, and they never cut the power of this server.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  checkpoint_timeout: '30min',
  lc_messages: 'C',
};

/**
 * A shell script that stops the server with the signal that it reads from standard input. If the input ends, the test
 * process is gone, so the script also removes the folder.
 */
const SUPERVISE = `folder=$1; scratch=$2; shift 2; "$@" </dev/null & server=$!
read -r signal; kill -s "\${signal:-QUIT}" $server; wait $server
[ -n "$signal" ] || rm -rf "$folder" "$scratch"`;

/** The settings of a server that `startStandby` can copy. */
export const COPIED_SETTINGS = { wal_level: 'replica', max_wal_senders: '4' };

/** Starts a standby of a server with `COPIED_SETTINGS`, which restarts for it. The standby follows it. */
export const startStandby = async (primary: PostgresProcess): Promise<PostgresProcess> => {
  await primary.halt();
  const { hostname, port, username, password } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  const following = { primary_conninfo: source, wal_retrieve_retry_interval: '100ms' };
  const standby = await startPostgres({ ...COPIED_SETTINGS, ...following }, placePostgresBinaries, primary);
  await primary.resume();
  return standby;
};

/**
 * Starts a server, with the given settings, that npm has installed or that `place` copies into a folder. Its cluster
 * is empty, or a copy of a stopped one. Rejects with the end of its log when it fails to start.
 */
export const startPostgres = async (
  settings: Readonly<Record<string, string>> = {},
  place: (folder: string) => Promise<PostgresBinaries> = placePostgresBinaries,
  primary?: PostgresProcess,
): Promise<PostgresProcess> => {
  // On the disk of the installed server, whose files are links there and would be copies elsewhere.
  const folder = await mkdtemp(join(diskPlace(), 'postgres-'));
  // In-memory files make creating databases ten times as fast, unless data must be synced to disk.
  const dataPlace = settings['fsync'] === 'on' ? diskPlace() : await scratchPlace();
  const scratch = await mkdtemp(join(dataPlace, 'postgres-data-'));
  const remove = async (): Promise<void> => {
    for (const path of [folder, scratch]) await rm(path, { recursive: true, force: true });
  };
  const account = await unprivilegedAccount();
  const password = primary === undefined ? randomBytes(12).toString('hex') : new URL(primary.url).password;
  const port = await freePort();
  let supervised: Supervised | undefined;
  try {
    const { bin, sortOrder } = await place(folder);
    if (account !== undefined) for (const path of [folder, scratch]) await chownFolders(path, account);
    const data = join(scratch, 'data');
    if (primary === undefined) await initialise({ bin, sortOrder, data, folder, account, password });
    else await copyData(primary.data, data, account);
    const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = [folder, scratch, join(bin, 'postgres'), '-D', data, '-p', String(port), ...flags];
    const launch = () => supervise(command, account, primary === undefined ? READY : STANDBY_READY);
    supervised = await launch();
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      data,
      halt: async (how = 'fast') => supervised?.end(how === 'fast' ? 'INT' : 'QUIT'),
      resume: async () => {
        supervised = await launch();
      },
      stop: async () => {
        await supervised?.end('QUIT');
        await remove();
      },
    };
  } catch (error) {
    await supervised?.end('QUIT');
    await remove();
    throw error;
  }
};

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL and PgBouncer refuse to run as root. Undefined where the tests do not run as root. */
export const unprivilegedAccount = async (): Promise<Account | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL and PgBouncer refuse to run as root, and this machine has no account nobody or postgres');
};

/**
 * Changes the owner of folders only, which is enough to remove them, because files may be links to the installation.
 */
const chownFolders = async (folder: string, account: Account): Promise<void> => {
  await chown(folder, account.uid, account.gid);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await chownFolders(join(folder, entry.name), account);
  }
};

interface Cluster extends PostgresBinaries {
  readonly data: string;
  readonly folder: string;
  readonly account: Account | undefined;
  readonly password: string;
}

/** Password hashing at its usual strength takes as long as a dozen queries, and each node opens ten connections. */
const CHEAP_PASSWORDS = ['--set', 'scram_iterations=1'];

const initialise = async ({ bin, sortOrder, data, folder, account, password }: Cluster): Promise<void> => {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${password}\n`);
  if (account !== undefined) await chown(passwordFile, account.uid, account.gid);
  const flags = ['--username=postgres', '--auth=password', `--pwfile=${passwordFile}`, '--no-sync', '--encoding=UTF8'];
  const locale = ['--locale=C', ...sortOrder];
  const child = spawn(join(bin, 'initdb'), ['-D', data, ...flags, ...CHEAP_PASSWORDS, ...locale], {
    ...account,
    stdio: 'pipe',
  });
  await completes(child);
};

/** Copies the data of a stopped server, and marks the copy as a standby. */
const copyData = async (from: string, to: string, account: Account | undefined): Promise<void> => {
  const copy = 'cp -r "$1" "$2" && touch "$2/standby.signal"';
  await completes(spawn('/bin/sh', ['-c', copy, 'copy', from, to], { ...account, stdio: 'pipe', cwd: '/' }));
};

const completes = async (child: ChildProcess): Promise<void> => {
  const output = gather(child);
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`PostgreSQL could not be set up for the tests:\n${output()}`);
};

interface Supervised {
  end(signal: 'INT' | 'QUIT'): Promise<void>;
}

const READY = /ready to accept connections/;
/** A standby may print either message. */
const STANDBY_READY = /ready to accept (?:read-only )?connections/;

/** Runs the server until it is told to stop; resolves when it accepts connections. */
const supervise = async (
  command: readonly string[],
  account: Account | undefined,
  ready: RegExp,
): Promise<Supervised> => {
  const child = spawn('/bin/sh', ['-c', SUPERVISE, 'supervise', ...command], { ...account, stdio: 'pipe', cwd: '/' });
  const output = gather(child);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    void exited.then(() => reject(new Error(`PostgreSQL did not start for the tests:\n${output()}`)));
    child.stderr?.on('data', () => ready.test(output()) && resolve());
  });
  letGo(child);
  return {
    end: async (signal) => {
      // Keeps this process alive during the wait.
      child.ref();
      child.stdin?.on('error', () => {});
      child.stdin?.end(`${signal}\n`);
      await exited;
    },
  };
};

/** Lets the test process end without waiting for the server. */
const letGo = (child: ChildProcess): void => {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
};

const KEPT_OUTPUT = 4_000;

const gather = (child: ChildProcess): (() => string) => {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-KEPT_OUTPUT);
    });
  }
  return () => text;
};
