import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

const ASK_EVERY_MS = 50;
const ASK_LIMIT_MS = 2_000;

/**
 * A load balancer like those in front of nodes. It distributes requests by turns over the servers that report ready,
 * and holds a request until one does.
 */
export interface BalancingProxy {
  readonly url: string;
  /** Adds a server. Resolves when it is ready. */
  add(serverUrl: string): Promise<void>;
  /** Stops asking a server that has ended. */
  remove(serverUrl: string): void;
  close(): Promise<void>;
}

interface Backend {
  readonly url: URL;
  readonly agent: Agent;
  isReady: boolean;
  isAsked: boolean;
}

/** Starts a proxy that keeps its connections, polls `/readyz` as a balancer does, and never repeats a request. */
export const startBalancingProxy = async (): Promise<BalancingProxy> => {
  const backends = new Map<string, Backend>();
  let [turn, isOpen] = [0, true];
  const serve = async (asked: IncomingMessage, reply: ServerResponse): Promise<void> => {
    while (isOpen && !reply.destroyed) {
      const ready = [...backends.values()].filter(({ isReady }) => isReady);
      turn += 1;
      const backend = ready[turn % ready.length];
      if (backend !== undefined) return pass(asked, reply, backend);
      // On a busy machine every server may reply too late to count as ready.
      await setTimeout(ASK_EVERY_MS);
    }
  };
  const asking = setInterval(() => {
    for (const backend of backends.values()) void refresh(backend);
  }, ASK_EVERY_MS);
  const server = createServer((asked, reply) => void serve(asked, reply));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : ''}`,
    add: async (serverUrl) => {
      const backend = {
        url: new URL(serverUrl),
        agent: new Agent({ keepAlive: true }),
        isReady: false,
        isAsked: false,
      };
      while (!backend.isReady) await refresh(backend);
      backends.set(serverUrl, backend);
    },
    remove: (serverUrl) => {
      backends.get(serverUrl)?.agent.destroy();
      backends.delete(serverUrl);
    },
    close: () => {
      isOpen = false;
      clearInterval(asking);
      for (const { agent } of backends.values()) agent.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
};

/** Asks a server whether it is ready, unless it is being asked: a late reply must not overwrite a newer one. */
const refresh = async (backend: Backend): Promise<void> => {
  if (backend.isAsked) return;
  backend.isAsked = true;
  const limit = { signal: AbortSignal.timeout(ASK_LIMIT_MS) };
  backend.isReady = await fetch(new URL('/readyz', backend.url), limit).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.ok;
    },
    () => false,
  );
  backend.isAsked = false;
};

const pass = (asked: IncomingMessage, reply: ServerResponse, { url, agent }: Backend): void => {
  const { method = 'GET', headers, url: path = '' } = asked;
  const { hostname, port } = url;
  const passed = request({ hostname, port, agent, method, headers, path }, (answer) => {
    const { connection: _, ...others } = answer.headers;
    reply.writeHead(answer.statusCode ?? 502, others);
    answer.pipe(reply);
  });
  passed.on('error', (error) => {
    if (!reply.headersSent) reply.writeHead(502);
    reply.end(`the server failed: ${error.message}`);
  });
  asked.pipe(passed);
};
