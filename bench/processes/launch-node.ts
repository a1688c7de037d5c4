import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastWords } from './child-process.ts';

const OWN_BUILD = fileURLToPath(new URL('../../', import.meta.url));
const START_LIMIT_MS = 30_000;
const PROBE_EVERY_MS = 10;

/** File of the store inside the node's folder. */
export const NODE_DATABASE = 'node.db';
/** Registered at the first start of a store, with every permission and scope. */
export const NODE_KEY = 'bench-0123456789abcdef0123456789abcdef0123456789abcdef';

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

export interface LaunchOptions {
  /** Options of Node itself, for example `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A configuration file, as data; without it the node has none. */
  readonly config?: object;
  /** Folder of a checkout that was built: its node is started. This one's unless told otherwise. */
  readonly checkout?: string | undefined;
  /** How long it may take until the node is healthy; 30 seconds unless told otherwise. */
  readonly startLimitMs?: number;
}

export interface LaunchedNode {
  readonly port: number;
  readonly child: ChildProcess;
}

const isHealthy = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  } catch {
    return false;
  }
};

/**
 * Starts the real node, as `npm start` would, on the store in `folder`, and waits until it is healthy. Its standard
 * error goes to a file there: billing lines are part of the work that is measured, and a pipe would make this process
 * share it.
 */
export const launchNode = async (
  folder: string,
  { nodeOptions = [], env = {}, config, checkout, startLimitMs = START_LIMIT_MS }: LaunchOptions = {},
): Promise<LaunchedNode> => {
  const port = await freePort();
  const errorFile = join(folder, 'stderr.log');
  const errors = openSync(errorFile, 'a');
  const build = checkout === undefined ? OWN_BUILD : resolve(checkout, 'dist');
  const configFile = join(folder, 'bench-config.json');
  if (config !== undefined) writeFileSync(configFile, JSON.stringify(config));
  const configured = config === undefined ? [] : ['--config', configFile];
  const child = spawn(process.execPath, [...nodeOptions, join(build, 'config/main.js'), 'start', ...configured], {
    cwd: folder,
    env: {
      ...process.env,
      SVC_PORT: String(port),
      SVC_DB_PATH: join(folder, NODE_DATABASE),
      SVC_BOOTSTRAP_KEY: NODE_KEY,
      ...env,
    },
    stdio: ['ignore', 'ignore', errors],
  });
  closeSync(errors);
  const deadline = performance.now() + startLimitMs;
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the node did not start:\n${lastWords(errorFile)}`);
    }
    await pause(PROBE_EVERY_MS);
  }
  return { port, child };
};
