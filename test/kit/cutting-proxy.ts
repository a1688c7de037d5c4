import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server and fails as networks do. */
export interface CuttingProxy {
  /** The server's address, by way of the proxy. */
  readonly url: string;
  /** Lets the next message with this text reach the server, and cuts the connection when the answer comes. */
  cutAnswerTo(text: string): void;
  /** Lets nothing through any more, in either direction, without a word. */
  freeze(): void;
  /** Keeps messages of the server with this text from the client. */
  dropAnswers(withText: string): void;
  close(): Promise<void>;
}

export const startCuttingProxy = async (serverUrl: string): Promise<CuttingProxy> => {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let cutting: string | undefined;
  let frozen = false;
  let dropped: string | undefined;
  const join = (client: Socket): void => {
    const server = connect({ host: target.hostname, port: Number(target.port) });
    let armed = false;
    client.on('data', (chunk) => {
      if (frozen) return;
      if (cutting !== undefined && chunk.includes(cutting)) {
        armed = true;
        cutting = undefined;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (armed) client.destroy();
      else if (!frozen && (dropped === undefined || !chunk.includes(dropped))) client.write(chunk);
    });
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
  };
  const listener = createServer(join);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === 'object' && address !== null ? address.port : '');
  return {
    url: url.href,
    cutAnswerTo: (text) => {
      cutting = text;
    },
    freeze: () => {
      frozen = true;
    },
    dropAnswers: (withText) => {
      dropped = withText;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
};
