import { FactClient } from '../../client/client.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import { type LoopbackNetwork, readReplyBody } from '../fakes/loopback-network.ts';
import type { TestNode } from '../kit/start-test-node.ts';

/**
 * A `fetch` over the simulated network of a test: it delivers a request to the node of its address, without sockets.
 */
export const loopbackFetch = (network: Pick<LoopbackNetwork, 'deliver'>): typeof fetch =>
  (async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = String(input);
    const target = /^[a-z]+:\/\/[^/?]*(.*)$/i.exec(url)?.[1] ?? '/';
    const { method = 'GET', body, signal } = init;
    const reply = await network.deliver(url, {
      method,
      target,
      headers: [...new Headers(init.headers)],
      ...(typeof body === 'string' ? { body: Buffer.from(body) } : {}),
      ...(signal ? { signal } : {}),
    });
    const { status, headers } = reply;
    if (isStream(reply.body)) return new Response(ReadableStream.from(bytesOf(reply.body)), { status, headers });
    const bytes = await readReplyBody(reply, { method });
    return new Response(bytes.length === 0 ? null : Buffer.from(bytes), { status, headers });
  }) as typeof fetch;

/** Returns a client of a test node, without sockets. */
export const clientOf = (node: TestNode, options: ClientOptions = {}): FactClient =>
  new FactClient({ url: node.url, fetch: loopbackFetch(node.network), ...options });

type Stream = AsyncIterable<string | Uint8Array>;

const isStream = (body: unknown): body is Stream =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function* bytesOf(body: Stream): AsyncGenerator<Uint8Array> {
  for await (const part of body) yield typeof part === 'string' ? Buffer.from(part) : part;
}
