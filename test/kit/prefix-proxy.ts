import { createServer, request } from 'node:http';

/** A proxy that serves a server below a path. The server sees the rest of the path. */
export interface PrefixProxy {
  /** The address of the server through the proxy, without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

export const startPrefixProxy = async (prefix: string, serverUrl: string): Promise<PrefixProxy> => {
  const { hostname, port } = new URL(serverUrl);
  const proxy = createServer((asked, reply) => {
    const { method = 'GET', headers, url = '' } = asked;
    if (!url.startsWith(`${prefix}/`)) {
      reply.writeHead(404).end();
      return;
    }
    const passed = request({ hostname, port, method, headers, path: url.slice(prefix.length) }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : ''}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
};
