import { connect, createServer, type Socket } from 'node:net';

/** A proxy between a client and a server that simulates network failures. */
export interface CuttingProxy {
  /** The address of the server through the proxy. */
  readonly url: string;
  /** Sends new connections to another server, because a restarted server has another port. */
  aimAt(serverUrl: string): void;
  /** Passes the next message with this text to the server, and cuts the connection when the answer arrives. */
  cutAnswerTo(text: string): void;
  /** Silently blocks all traffic in both directions. */
  freeze(): void;
  /** Drops messages from the server that contain this text. */
  dropAnswers(withText: string): void;
  /** Closes all connections, and closes every new one immediately. */
  cut(): void;
  /** Ends all faults: traffic passes again, at once and complete. */
  restore(): void;
  /** Delays each chunk from the server by this many milliseconds. */
  delayAnswers(ms: number): void;
  /** Cuts the next `connections` connections, each after this number of bytes from the server. */
  truncateAnswers(connections: number, bytes: number): void;
  close(): Promise<void>;
}

interface Faults {
  cutting?: string;
  dropped?: string;
  isFrozen?: boolean;
  isCut?: boolean;
  delayMs?: number;
  truncated?: { left: number; readonly bytes: number };
}

export const startCuttingProxy = async (serverUrl: string): Promise<CuttingProxy> => {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let faults: Faults = {};
  const listener = createServer((client) => {
    if (faults.isCut === true) {
      client.on('error', () => {});
      client.destroy();
      return;
    }
    const server = connect({ host: target.hostname, port: Number(target.port) });
    pass(client, server, () => faults);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === 'object' && address !== null ? address.port : '');
  return {
    url: url.href,
    aimAt: (other) => {
      target = new URL(other);
    },
    cutAnswerTo: (text) => {
      faults.cutting = text;
    },
    freeze: () => {
      faults.isFrozen = true;
    },
    dropAnswers: (withText) => {
      faults.dropped = withText;
    },
    cut: () => {
      faults.isCut = true;
      endAll();
    },
    restore: () => {
      faults = {};
    },
    delayAnswers: (ms) => {
      faults.delayMs = ms;
    },
    truncateAnswers: (connections, bytes) => {
      faults.truncated = { left: connections, bytes };
    },
    close: () => {
      endAll();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
};

/** Passes data in both directions, subject to the current faults. */
const pass = (client: Socket, server: Socket, faults: () => Faults): void => {
  let armed = false;
  let bytesLeft = Number.POSITIVE_INFINITY;
  const { truncated } = faults();
  if (truncated !== undefined && truncated.left > 0) {
    truncated.left -= 1;
    bytesLeft = truncated.bytes;
  }
  client.on('data', (chunk) => {
    const now = faults();
    if (now.isFrozen === true) return;
    if (now.cutting !== undefined && chunk.includes(now.cutting)) {
      armed = true;
      delete now.cutting;
    }
    server.write(chunk);
  });
  server.on('data', (chunk) => {
    const { isFrozen, dropped, delayMs = 0 } = faults();
    const part = chunk.subarray(0, bytesLeft);
    bytesLeft -= chunk.length;
    if (armed) client.destroy();
    else if (isFrozen === true || (dropped !== undefined && chunk.includes(dropped))) return;
    else if (delayMs > 0) setTimeout(() => client.write(part), delayMs);
    else if (bytesLeft >= 0) client.write(part);
    else client.end(part);
  });
};
