import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Above the last port that `fetch` and browsers refuse (10080), and below the ports that systems give to connections
 * and to servers without a port of their own.
 */
const LOWEST = 10_082;
const PAIRS = 2_850;

/**
 * Returns a free port of this machine, for a program that must know its port before it starts.
 *
 * No other test gets the port before this process ends: the process keeps listening on the port above it, which marks
 * the pair as taken for every process.
 */
export const freePort = async (): Promise<number> => {
  const first = Math.floor(Math.random() * PAIRS);
  for (let turn = 0; turn < PAIRS; turn += 1) {
    const port = LOWEST + 2 * ((first + turn) % PAIRS);
    const mark = await listen(port + 1);
    if (mark === undefined) continue;
    const server = await listen(port);
    if (server === undefined) {
      mark.close();
      continue;
    }
    mark.unref();
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`no port from ${LOWEST} to ${LOWEST + 2 * PAIRS} is free`);
};

const listen = async (port: number): Promise<Server | undefined> => {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
};
