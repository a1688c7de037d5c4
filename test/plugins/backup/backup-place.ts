import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';
import type { FactStore } from '../../../ports/ports.ts';
import type { CommandResult } from '../../adapters/cli/run-in-process.ts';
import {
  type RunningProgram,
  type ServingNode,
  type Variables,
  Workplace,
} from '../../adapters/cli/spawned-program.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { administer, createTestDatabase, type TestDatabase } from '../../kit/postgres-server.ts';
import { releaseFiles } from '../../kit/release-files.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const MAIN = fileURLToPath(new URL('../../../config/main.js', import.meta.url));
const CONFIGURATION_FILE = 'node.json';
const CONFIGURATION = ['--config', CONFIGURATION_FILE];
const KILL_LIMIT_MS = 60_000;
const KEY = 'backup-place-0123456789abcdef0123456789abcdef';

/** Only the plugins that change what a backup holds. With them, a program starts in half the time. */
export const BACKED_UP = fewPlugins('backup', 'billing', 'cards', 'fact-chain', 'jobs', 'tombstones', 'upkeep');

/** The rows of each table as text, in a deterministic order. */
export type StoredRows = ReadonlyMap<string, readonly string[]>;

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by what it reads what it expects
  readonly body: any;
}

/** A node on one database engine, controlled only through its program. It is the source or the target of a backup. */
export class BackupPlace {
  readonly kind: StoreKind;
  readonly work = new Workplace();
  readonly #database: TestDatabase | undefined;
  #looks = 0;

  private constructor(kind: StoreKind, database: TestDatabase | undefined, plugins: typeof BACKED_UP) {
    this.kind = kind;
    this.#database = database;
    writeFileSync(this.work.path(CONFIGURATION_FILE), JSON.stringify({ plugins }));
  }

  /** Prepares a node with the `plugins` of a configuration, by default the default ones. */
  static async on(kind: StoreKind, plugins: typeof BACKED_UP = {}): Promise<BackupPlace> {
    return new BackupPlace(kind, kind === 'sqlite' ? undefined : await createTestDatabase(), plugins);
  }

  get env(): Variables {
    const store = this.#database === undefined ? {} : { SVC_DATABASE_URL: this.#database.url };
    return { SVC_BOOTSTRAP_KEY: KEY, ...store };
  }

  get backups(): string {
    return this.work.path('data/backups');
  }

  /** Starts a node in this process, because loading the program takes longer than most tests. */
  async start(env: Variables = {}): Promise<ServingNode> {
    const node = await this.work.serve(CONFIGURATION_FILE, { ...this.env, ...env });
    return {
      url: node.url,
      end: async () => {
        await node.end();
        await this.#releaseFiles();
      },
    };
  }

  /** Starts a node in a process of its own, for a test that kills it or reads its output. */
  startApart(env: Variables = {}): Promise<RunningProgram> {
    return this.work.start(CONFIGURATION, { ...this.env, ...env });
  }

  async run(argv: readonly string[], env: Variables = {}): Promise<CommandResult> {
    const result = await this.work.run([...argv, ...CONFIGURATION], { ...this.env, ...env });
    await this.#releaseFiles();
    return result;
  }

  /** Runs a command in a process of its own. */
  runApart(argv: readonly string[], env: Variables = {}): Promise<CommandResult> {
    return this.work.runApart([...argv, ...CONFIGURATION], { ...this.env, ...env });
  }

  /** Makes a backup, and returns the path of its folder. */
  async backUp(...options: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(['backup', ...options]);
    if (exitCode !== 0) throw new Error(`the backup failed: ${stderr}`);
    return stdout.trim();
  }

  /** Starts a backup, and kills it as soon as its partial folder exists. Resolves when the process has ended. */
  killBackup(): Promise<void> {
    return this.kill(
      ['backup'],
      () => existsSync(this.backups) && readdirSync(this.backups).some((name) => name.endsWith('.partial')),
    );
  }

  /** Starts a command, and kills it as soon as the condition holds, unless the command ends first. */
  async kill(
    argv: readonly string[],
    isSoFar: () => boolean | Promise<boolean>,
    signal: NodeJS.Signals = 'SIGKILL',
    variables: Variables = {},
  ): Promise<void> {
    const env = { PATH: process.env['PATH'] ?? '', ...this.env, ...variables };
    const child = spawn(process.execPath, [MAIN, ...argv, ...CONFIGURATION], {
      cwd: this.work.folder,
      env,
      stdio: 'ignore',
    });
    let isOver = false;
    const ended = once(child, 'exit').then(() => {
      isOver = true;
    });
    const isTime = async (): Promise<boolean> => isOver || (await isSoFar());
    await waitUntil(`${argv[0]} has begun`, KILL_LIMIT_MS, isTime);
    child.kill(signal);
    await ended;
  }

  /** Runs a command that cannot write files larger than this number of blocks of 512 or 1,024 bytes. */
  async runLimited(argv: readonly string[], blocks: number): Promise<CommandResult> {
    const env = { PATH: process.env['PATH'] ?? '', ...this.env };
    const limited = ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, MAIN, ...argv, ...CONFIGURATION];
    const child = spawn('sh', limited, { cwd: this.work.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { exitCode: exitCode ?? -1, stdout, stderr };
  }

  async #releaseFiles(): Promise<void> {
    if (this.kind === 'sqlite' && !this.work.isServing) await releaseFiles(this.work.folder);
  }

  /** Copies the key files of another place into this one, as an operator would. */
  takeKeys(other: BackupPlace): void {
    mkdirSync(this.work.path('data'), { recursive: true, mode: 0o700 });
    cpSync(other.work.path('data/node.key'), this.work.path('data/node.key'));
  }

  /** Opens the store. SQLite files are copied first, because this process would hold them open for too long. */
  #openStore(): FactStore {
    if (this.#database !== undefined) return createPostgresStore({ url: this.#database.url });
    this.#looks += 1;
    const folder = this.work.path(`look-${this.#looks}`);
    mkdirSync(folder);
    for (const name of ['svc.db', 'svc.db-wal']) {
      if (existsSync(this.work.path(`data/${name}`))) cpSync(this.work.path(`data/${name}`), join(folder, name));
    }
    return createSqliteStore({ path: join(folder, 'svc.db') });
  }

  /** Runs SQL directly on the store, bypassing the node. No process may have the store open. */
  async tamper(...statements: readonly string[]): Promise<void> {
    if (this.#database !== undefined) {
      for (const sql of statements) await administer(this.#database.url, sql);
      return;
    }
    const database = new DatabaseSync(this.work.path('data/svc.db'));
    for (const sql of statements) database.exec(sql);
    database.close();
  }

  /** Ends the leases of killed processes, which would last half a minute. */
  endLeases(): Promise<void> {
    return this.tamper('UPDATE leases SET until_ms = 0');
  }

  /** Returns the number of tables that a running restore has created in its temporary PostgreSQL schema. */
  async tablesBeside(): Promise<number> {
    if (this.#database === undefined) return 0;
    const sql = "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'fact_memory_restoring'";
    return Number((await administer(this.#database.url, sql))[0]?.['count']);
  }

  /** Returns the names of the throw-away databases on the server. */
  async spareDatabases(): Promise<readonly unknown[]> {
    if (this.#database === undefined) return [];
    const ours = "'fact_memory_spare_' || left(md5(current_database()), 8)";
    const sql = `SELECT datname FROM pg_database WHERE starts_with(datname::text, ${ours})`;
    return administer(this.#database.url, sql);
  }

  /** Returns all rows of the store. No process may write at the same time. */
  async rows(): Promise<StoredRows> {
    const store = this.#openStore();
    try {
      const found = new Map<string, readonly string[]>();
      await store.read(async (snapshot) => {
        for (const table of await store.tables()) {
          const rows = (await snapshot.table(table).select('*')) as object[];
          found.set(table, rows.map((row) => JSON.stringify(row)).sort());
        }
      });
      return found;
    } finally {
      await store.close();
    }
  }

  async dispose(): Promise<void> {
    await this.work.dispose();
    await this.#database?.drop();
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

export const request = async (
  node: Pick<ServingNode, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> => {
  const reply = await fetch(`${node.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, ...(body === undefined ? {} : JSON_TYPE), ...more },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const replied = await reply.text();
  const isJson = reply.headers.get('content-type')?.includes('json') === true;
  return { status: reply.status, body: isJson ? JSON.parse(replied) : replied || undefined };
};

export const fact = (entity: string, value: string): object => ({
  entity,
  relation: 'x:note',
  value: { type: 'string', v: value },
  source: 'agent:writer',
  scope: 'company',
});

/** Returns the path and the bytes of each file below a folder. */
export const bytesBelow = (folder: string): { readonly path: string; readonly bytes: Buffer }[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? bytesBelow(path) : [{ path, bytes: readFileSync(path) }];
  });
