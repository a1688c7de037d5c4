import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import type { FactStore } from '../../ports/ports.ts';
import type { StoreKind } from './for-each-store.ts';
import { servedAddress } from './served-address.ts';
import { placeTestStore, type TestStore } from './test-store.ts';

const MAIN = fileURLToPath(new URL('../../config/main.js', import.meta.url));
/** Registered by the first start, with every permission and scope. */
const KEY = 'node-processes-0123456789abcdef0123456789abcdef';
const START_LIMIT_MS = 180_000;
/** A longer wait rejects, because no request takes so long after any failure. */
const ANSWER_LIMIT_MS = 30_000;
const LAST_LINES = 15;

export interface NodeReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by what it reads what it expects
  readonly body: any;
}

/** A node in a process of its own, started as a user would. */
export interface NodeProcess {
  readonly url: string;
  readonly port: number;
  /** Credential that may do everything. */
  readonly key: string;
  readonly child: ChildProcess;
  /** Rejects when no answer comes: the node is gone, or silent. A body is sent as JSON. */
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<NodeReply>;
  /** Whether it says that it can serve and store. Never rejects. */
  isHealthy(): Promise<boolean>;
  /** Sends the signal and waits for the end of the process. Idempotent. */
  end(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Variables of the node beside the run's own; without a value the variable is not set. */
export type NodeVariables = Readonly<Record<string, string | undefined>>;

/** Nodes that share one store, and the store itself. Everything is gone after `stop`. */
export class NodeProcesses {
  readonly kind: StoreKind;
  /** Working directory of the nodes; an SQLite file, the keys and what the nodes log lie in or below it. */
  readonly folder: string;
  /** The store for nodes and tests: a path, or the address of a database. */
  readonly place: string;
  readonly #store: Pick<TestStore, 'open' | 'remove'>;
  readonly #children: ChildProcess[] = [];
  readonly #nodes: NodeProcess[] = [];
  readonly #opened: FactStore[] = [];

  private constructor(kind: StoreKind, folder: string, place: string, store: Pick<TestStore, 'open' | 'remove'>) {
    this.kind = kind;
    this.folder = folder;
    this.place = place;
    this.#store = store;
  }

  /** On an empty store of its own. */
  static async on(kind: StoreKind): Promise<NodeProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'processes-'));
    const store = await placeTestStore(kind, folder);
    const { path, url } = store.settings;
    return new NodeProcesses(kind, folder, String(path ?? url), store);
  }

  /** On a PostgreSQL database that is somebody else's to remove. */
  static async onDatabase(url: string): Promise<NodeProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'processes-'));
    return new NodeProcesses('postgres', folder, url, {
      open: () => createPostgresStore({ url }),
      remove: async () => {},
    });
  }

  /** Those that serve and have not ended, in the order in which they came to. */
  get running(): readonly NodeProcess[] {
    return this.#nodes.filter(({ child }) => isRunning(child));
  }

  /** Starts so many nodes at once and waits until all serve. Rejects with the end of their log when one does not. */
  start(count: number, variables: NodeVariables = {}): Promise<NodeProcess[]> {
    return Promise.all(Array.from({ length: count }, () => this.#start(variables)));
  }

  /** A store of the test's own on the data of the nodes, which `stop` closes. */
  openStore(): FactStore {
    const store = this.#store.open();
    this.#opened.push(store);
    return store;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => endProcess(child, 'SIGKILL')));
    await Promise.all(this.#opened.map((store) => store.close()));
    await this.#store.remove();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #start(variables: NodeVariables): Promise<NodeProcess> {
    const log = join(this.folder, `node-${this.#children.length + 1}.log`);
    const errors = openSync(log, 'a');
    const store = this.kind === 'sqlite' ? { SVC_DB_PATH: this.place } : { SVC_DATABASE_URL: this.place };
    const child = spawn(process.execPath, [MAIN, 'start'], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', SVC_PORT: '0', SVC_BOOTSTRAP_KEY: KEY, ...store, ...variables },
      // A pipe would make this process share the work of logging.
      stdio: ['ignore', 'pipe', errors],
    });
    closeSync(errors);
    // Known before it serves, so that one which never does is ended too.
    this.#children.push(child);
    const url = await addressOf(child, log);
    const end: NodeProcess['end'] = (signal = 'SIGKILL') => endProcess(child, signal);
    const node = { url, port: Number(new URL(url).port), key: KEY, child, end, ...createRequests(url) };
    this.#nodes.push(node);
    return node;
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

const endProcess = async (child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};

const addressOf = async (child: ChildProcess, log: string): Promise<string> => {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the node ended instead of serving:\n${lastLines(log)}`);
  });
  const late = once(AbortSignal.timeout(START_LIMIT_MS), 'abort').then(() => {
    throw new Error(`the node did not serve in time:\n${lastLines(log)}`);
  });
  return (await Promise.race([servedAddress(child), ended, late])).url;
};

const lastLines = (log: string): string => readFileSync(log, 'utf8').split('\n').slice(-LAST_LINES).join('\n');

const createRequests = (url: string): Pick<NodeProcess, 'request' | 'isHealthy'> => {
  const request: NodeProcess['request'] = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const text = await reply.text();
    const { status } = reply;
    return { status, headers: Object.fromEntries(reply.headers), body: text === '' ? undefined : JSON.parse(text) };
  };
  const isHealthy = async (): Promise<boolean> => {
    try {
      return (await request('GET', '/healthz')).status === 200;
    } catch {
      return false;
    }
  };
  return { request, isHealthy };
};
