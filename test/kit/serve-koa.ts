import { createKoaTransport, type KoaTransportOptions, type SocketOptions } from '../../adapters/koa/koa-transport.ts';
import type { Listener } from '../../ports/ports.ts';
import { serveRoutes, type TestRoute } from './serve-routes.ts';

export interface KoaNode {
  readonly url: string;
  readonly listener: Listener;
  /** Errors that the transport could not send to a caller. */
  readonly reported: unknown[];
}

/** Serves routes through the HTTP layer of the kernel and the Koa transport, on a loopback port. */
export const serveKoa = async (
  routes: readonly TestRoute[],
  options: Partial<KoaTransportOptions> & { readonly sockets?: Partial<SocketOptions> } = {},
): Promise<KoaNode> => {
  const reported: unknown[] = [];
  const transport = createKoaTransport({
    host: '127.0.0.1',
    port: 0,
    corsAllowedOrigins: [],
    corsDevLocalhost: false,
    report: (message, error) => reported.push([message, error]),
    socketOptions: options.sockets ?? {},
    ...options,
  });
  const listener = await transport.serve(serveRoutes(routes).serveOptions);
  return { url: listener.url, listener, reported };
};
