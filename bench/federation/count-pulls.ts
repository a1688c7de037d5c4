import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of a node that counts the requests to pull facts. */
export interface PullCounter {
  readonly url: string;
  readonly pulls: number;
  stop(): Promise<void>;
}

const PULL_PATH = '/v1/federation/facts';

export const startPullCounter = async (target: string): Promise<PullCounter> => {
  let pulls = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith(PULL_PATH)) pulls += 1;
    const authorization = request.headers.authorization;
    fetch(`${target}${path}`, { headers: authorization === undefined ? {} : { Authorization: authorization } }).then(
      async (reply) => {
        const body = Buffer.from(await reply.arrayBuffer());
        response
          .writeHead(reply.status, { 'Content-Type': reply.headers.get('content-type') ?? 'text/plain' })
          .end(body);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get pulls() {
      return pulls;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
