import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastWords } from './child-process.ts';

const OWN_BUILD = fileURLToPath(new URL('../../', import.meta.url));
const START_LIMIT_MS = 120_000;
const PROBE_EVERY_MS = 10;

/** The file name of the store inside the node's folder. */
export const NODE_DATABASE = 'node.db';
/** The key with every permission and scope. The node registers it at the first start on a store. */
export const NODE_KEY = 'bench-0123456789abcdef0123456789abcdef0123456789abcdef';

/** Returns a port that was free a moment ago. */
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
  /** Options for the `node` program, for example `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The content of a configuration file. Default: no file. */
  readonly config?: object;
  /** The folder of the built checkout to start. Default: this checkout. */
  readonly checkout?: string | undefined;
  /** The time limit until the node is healthy, in milliseconds. Default: 30,000. */
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
 * Starts a real node, as `npm start` does, on the store in `folder`, and waits until it is healthy. A file in that
 * folder receives its standard error: a pipe would burden this process with the billing lines, which are part of the
 * measured work.
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
