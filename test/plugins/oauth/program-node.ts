import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

/** Lets the helpers of OAuth speak to a node in a process of its own. */
export const asNode = ({ url }: ServingNode): TestNode => {
  const request: TestNode['request'] = async (method, target, { headers = {}, body, key } = {}) => {
    const sent: Record<string, string> = { ...Object.fromEntries(Object.entries(headers)) };
    if (key !== undefined) sent['Authorization'] = `Bearer ${key}`;
    if (typeof body === 'object') sent['Content-Type'] = 'application/json';
    const text = typeof body === 'object' ? JSON.stringify(body) : (body as string | undefined);
    const reply = await fetch(`${url}${target}`, { method, headers: sent, body: text ?? null, redirect: 'manual' });
    const found = await reply.text();
    const isJson = reply.headers.get('content-type')?.includes('json') === true;
    const read: TestReply = {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      text: found,
      body: isJson ? JSON.parse(found) : undefined,
    };
    return read;
  };
  return { request } as TestNode;
};
