import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server and fails as networks do. */
export interface CuttingProxy {
  /** The server's address, by way of the proxy. */
  readonly url: string;
  /** Leads new connections to another server: one that was started again has another port. */
  aimAt(serverUrl: string): void;
  /** Lets the next message with this text reach the server, and cuts the connection when the answer comes. */
  cutAnswerTo(text: string): void;
  /** Lets nothing through any more, in either direction, without a word. */
  freeze(): void;
  /** Keeps messages of the server with this text from the client. */
  dropAnswers(withText: string): void;
  /** Ends all connections, and every new one at once. */
  cut(): void;
  /** Lets everything through again, at once and whole. */
  restore(): void;
  /** Holds back what the server says for so long. */
  delayAnswers(ms: number): void;
  /** Ends the next so many connections after this number of bytes from the server. */
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

/** Carries what the two say to each other, as far as the faults of the moment let it. */
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
