import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
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
/** The first key, registered by the first start, with every permission and scope. */
const KEY = 'node-processes-0123456789abcdef0123456789abcdef';
const CONFIGURATION = 'node.json';
const START_LIMIT_MS = 180_000;
/**
 * The time limit of a request to a node that hangs. An erasure of some thousand facts on PostgreSQL takes more than
 * 30 s on a machine that does twenty other things.
 */
const ANSWER_LIMIT_MS = 120_000;
const LAST_LINES = 15;

export interface NodeReply {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: replies have any shape, and each test checks the members that it reads
  readonly body: any;
}

/** A node in its own process, started as a user would start it. */
export interface NodeProcess {
  readonly url: string;
  readonly port: number;
  /** A key with every permission. */
  readonly key: string;
  readonly child: ChildProcess;
  /** Sends a request, with its body as JSON. Rejects without an answer: the node is down, or silent. */
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<NodeReply>;
  /** Returns whether the node reports that it can serve and store. Never rejects. */
  isHealthy(): Promise<boolean>;
  /** Sends the signal, and waits until the process ends. Idempotent. */
  end(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Environment variables added to those of the test run; a variable without a value is unset. */
export type NodeVariables = Readonly<Record<string, string | undefined>>;

/** Which plugins a configuration switches on or off. */
type PluginSwitches = Readonly<Record<string, boolean>>;

/** Nodes that share one store, together with that store. `stop` removes everything. */
export class NodeProcesses {
  readonly kind: StoreKind;
  /** The working directory of the nodes, which contains an SQLite file, the keys and the logs. */
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

  /** Prepares nodes on a new, empty store, with the `plugins` of a configuration, by default the default ones. */
  static async on(kind: StoreKind, plugins: PluginSwitches = {}): Promise<NodeProcesses> {
    const folder = await placeWith(plugins);
    const store = await placeTestStore(kind, folder);
    const { path, url } = store.settings;
    return new NodeProcesses(kind, folder, String(path ?? url), store);
  }

  /** Prepares nodes on a PostgreSQL database that its owner removes. */
  static async onDatabase(url: string, plugins: PluginSwitches = {}): Promise<NodeProcesses> {
    const folder = await placeWith(plugins);
    return new NodeProcesses('postgres', folder, url, {
      open: () => createPostgresStore({ url }),
      remove: async () => {},
    });
  }

  /** Returns the nodes that still serve, in the order in which they began to. */
  get running(): readonly NodeProcess[] {
    return this.#nodes.filter(({ child }) => isRunning(child));
  }

  /** Starts `count` nodes at once, and waits until all serve. Rejects with the end of its log when one fails. */
  start(count: number, variables: NodeVariables = {}, program = MAIN): Promise<NodeProcess[]> {
    return Promise.all(Array.from({ length: count }, () => this.#start(variables, program)));
  }

  /** Opens the store of the nodes for the test; `stop` closes it. */
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

  async #start(variables: NodeVariables, program: string): Promise<NodeProcess> {
    const log = join(this.folder, `node-${this.#children.length + 1}.log`);
    const errors = openSync(log, 'a');
    const store = this.kind === 'sqlite' ? { SVC_DB_PATH: this.place } : { SVC_DATABASE_URL: this.place };
    const child = spawn(process.execPath, [program, 'start', '--config', CONFIGURATION], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', SVC_PORT: '0', SVC_BOOTSTRAP_KEY: KEY, ...store, ...variables },
      // A file instead of a pipe, because a pipe would make this process share the work of logging.
      stdio: ['ignore', 'pipe', errors],
    });
    closeSync(errors);
    // Recorded before it serves, so that a node which never serves is ended too.
    this.#children.push(child);
    const url = await addressOf(child, log);
    const end: NodeProcess['end'] = (signal = 'SIGKILL') => endProcess(child, signal);
    const node = { url, port: Number(new URL(url).port), key: KEY, child, end, ...createRequests(url) };
    this.#nodes.push(node);
    return node;
  }
}

/** Makes the folder of nodes with these plugins. */
const placeWith = async (plugins: PluginSwitches): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'processes-'));
  writeFileSync(join(folder, CONFIGURATION), JSON.stringify({ plugins }));
  return folder;
};

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
