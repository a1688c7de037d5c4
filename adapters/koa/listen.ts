import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { countArrival } from '../../ports/others-first.ts';
import { type Listener, ServiceError } from '../../ports/ports.ts';

/** Starts to accept connections. Rejects with `unavailable` when the address is not available. */
export const listen = (server: Server, { host, port }: { host: string; port: number }): Promise<Listener> =>
  new Promise((resolve, reject) => {
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    const place = bare.includes(':') ? `[${bare}]:${port}` : `${bare}:${port}`;
    const refuse = (cause: NodeJS.ErrnoException): void =>
      reject(
        new ServiceError('unavailable', `cannot listen on ${place} (${cause.code ?? cause.message})`, {
          hint: HINTS[cause.code ?? ''] ?? 'choose another with --host and --port, or SVC_HOST and SVC_PORT',
          cause,
        }),
      );
    server.once('error', refuse);
    const connections = new Set<Socket>();
    server.on('connection', (socket) => {
      countArrival();
      connections.add(socket);
      socket.once('close', () => connections.delete(socket));
    });
    server.listen({ host: bare, port, backlog: BACKLOG }, () => {
      server.off('error', refuse);
      const address = server.address() as AddressInfo;
      let closing: Promise<void> | undefined;
      resolve({
        url: urlOf(address),
        close: (graceMs) => {
          closing ??= closeWithin(server, connections, graceMs);
          return closing;
        },
      });
    });
  });

const BACKLOG = 1_024;

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses the port, perhaps this very node: stop it, or choose another with --port or SVC_PORT',
  EACCES: 'the system does not let this user open the port: choose one above 1023 with --port or SVC_PORT',
  EADDRNOTAVAIL: 'this machine does not have the address: choose one that it has with --host or SVC_HOST',
};

/** Closes idle connections at once, busy ones after their pending reply, and all others after the grace period. */
const closeWithin = (server: Server, connections: ReadonlySet<Socket>, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
    // Closes connections without any received byte, which Node counts as busy.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  });

/**
 * Returns the URL of the listener. For a wildcard address it contains a loopback address, because clients cannot
 * connect to a wildcard.
 */
const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
};
