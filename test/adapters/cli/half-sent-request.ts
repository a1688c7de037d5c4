import { connect, type Socket } from 'node:net';

const BODY = JSON.stringify({ entity: 'e', relation: 'x-t:r', value: { type: 'string', v: 'v' }, source: 's' });

/** Starts a request and sends no body: the node has read the headers and replied "100 Continue". */
export const halfSent = async (url: string, key: string): Promise<{ answer: Promise<string>; finish(): void }> => {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST /v1/facts HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${BODY.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  received = '';
  return { answer: closed.then(() => received), finish: () => socket.write(BODY) };
};

/** Resolves once connections to the address are refused. */
export const refused = async (url: string): Promise<void> => {
  const { hostname, port } = new URL(url);
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.destroy());
      socket.once('error', () => resolve(false));
      socket.once('close', (failed) => resolve(!failed));
    });
    if (!open) return;
  }
};
