import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastWords, makeFolder, type ServerProcess, spawnServer, stopServer } from './child-process.ts';

const MAIN = fileURLToPath(new URL('../../config/main.js', import.meta.url));
/** File of the store inside the server's folder. */
export const NODE_DATABASE = 'node.db';
const KEY = 'bench-0123456789abcdef0123456789abcdef0123456789abcdef';
const START_LIMIT_MS = 20_000;
const PROBE_EVERY_MS = 25;

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

const isHealthy = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  } catch {
    return false;
  }
};

export interface NodeStart {
  /** Options of Node itself, for example `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the real node, as `npm start` would, on an empty store in a folder of its own, with everything switched on. */
export const startNode = async ({ nodeOptions = [], env = {} }: NodeStart = {}): Promise<ServerProcess> => {
  const folder = await makeFolder();
  const port = await freePort();
  const { child, errorFile } = spawnServer(folder, [...nodeOptions, MAIN, 'start'], {
    SVC_PORT: String(port),
    SVC_DB_PATH: join(folder, NODE_DATABASE),
    SVC_BOOTSTRAP_KEY: KEY,
    ...env,
  });
  child.stdout?.resume();
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the node did not start:\n${lastWords(errorFile)}`);
    }
    await pause(PROBE_EVERY_MS);
  }
  return { port, key: KEY, pid: child.pid ?? 0, folder, stop: () => stopServer(child, folder) };
};
