import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The fault at the next piece of a body: none, a flipped bit, or a cut connection. */
export type Flaw = 'pass' | 'flip' | 'cut';

/** A proxy for HTTP that damages bodies and cuts connections. Heads of requests and replies pass unchanged. */
export interface FlawedProxy {
  readonly url: string;
  /** Asked for each piece of a body. */
  next: (direction: 'sent' | 'received') => Flaw;
  close(): Promise<void>;
}

/** Shorter pieces may hold the head of a message. */
const BODY_BYTES = 4_096;
const HEAD = /^(PUT|POST|GET|HEAD|DELETE|HTTP)[ /]/;

export const startFlawedProxy = async (serverUrl: string): Promise<FlawedProxy> => {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let next: FlawedProxy['next'] = () => 'pass';
  const pass = (from: Socket, to: Socket, direction: 'sent' | 'received'): void => {
    from.on('data', (chunk: Buffer) => {
      const isBody = chunk.length >= BODY_BYTES && !HEAD.test(chunk.toString('latin1', 0, 8));
      const flaw = isBody ? next(direction) : 'pass';
      if (flaw === 'cut') {
        from.destroy();
        to.destroy();
        return;
      }
      const at = chunk.length >> 1;
      if (flaw === 'flip') chunk[at] = (chunk[at] ?? 0) ^ 1;
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };
  const listener = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) });
    for (const socket of [client, server]) sockets.add(socket);
    pass(client, server, 'sent');
    pass(server, client, 'received');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    get next() {
      return next;
    },
    set next(given) {
      next = given;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};
