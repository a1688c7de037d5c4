import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNode, type Node } from '../../config/create-node.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { type CommandResult, runInProcess, type Terminal } from '../adapters/cli/run-in-process.ts';
import { createMemoryLogger } from '../fakes/memory-logger.ts';
import { quietBilling } from '../fakes/quiet-billing.ts';
import { checkReplies } from './check-replies.ts';

/** The input and terminal of a command; by default a pipe without input. */
interface At {
  readonly input?: string;
  readonly terminal?: Terminal;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A node with all plugins that listens on a port of this machine, for tests of commands. */
export interface ServedNode {
  readonly node: Node;
  /** The base address. */
  readonly url: string;
  readonly folder: string;
  /** The key of the first administrator. */
  readonly adminKey: string;
  /** Runs a command with a key; by default the administrator key. */
  run(argv: readonly string[], key?: string, at?: At): Promise<CommandResult>;
  /** Sends a request with a key; by default the administrator key. */
  ask(
    method: string,
    path: string,
    body?: object,
    key?: string,
    headers?: Readonly<Record<string, string>>,
    // biome-ignore lint/suspicious/noExplicitAny: the body of a reply has no type.
  ): Promise<{ status: number; body: any }>;
  stop(): Promise<void>;
}

const ADMIN_KEY = 'the-key-of-the-first-administrator';

export const startServedNode = async (
  env: Readonly<Record<string, string>> = {},
  plugins: readonly AnyPlugin[] = [],
): Promise<ServedNode> => {
  const folder = await mkdtemp(join(tmpdir(), 'served-'));
  const { SVC_NODE_URL: nodeUrl } = env;
  const port = nodeUrl === undefined ? 0 : Number(new URL(nodeUrl).port);
  const node = await createNode({
    env: { SVC_BOOTSTRAP_KEY: ADMIN_KEY, ...env },
    inspectReplies: checkReplies,
    plugins,
    overrides: { adapters: { store: { path: join(folder, 'node.db') }, transport: { port } } },
    adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
  });
  const { url } = await node.start();
  return {
    node,
    url,
    folder,
    adminKey: ADMIN_KEY,
    run: (argv, key = ADMIN_KEY, { variables, ...at } = {}) => {
      const env = { SVC_URL: url, SVC_API_KEY: key, XDG_CONFIG_HOME: join(folder, 'config'), ...variables };
      return runInProcess(argv, { env, ...at });
    },
    async ask(method, path, body, key = ADMIN_KEY, others = {}) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...others };
      const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await reply.text();
      return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    async stop() {
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
