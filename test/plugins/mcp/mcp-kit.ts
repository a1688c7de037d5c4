import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MCP_PATH } from '../../../plugins/mcp/mcp-route.ts';
import type { TestReply, TestRequest } from '../../kit/test-request.ts';

/** Both revisions of the protocol that clients speak. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

export const negotiationOf = (revision: Revision) =>
  revision === '2026-07-28' ? { mode: { pin: revision } } : { mode: 'legacy' as const };

interface Target {
  readonly request: TestRequest;
  readonly url: string;
}

/** The SDK's own client, over the test network. */
export const connectClient = async (node: Target, key: string, revision: Revision = '2026-07-28'): Promise<Client> => {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: negotiationOf(revision), enforceStrictCapabilities: true },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${node.url}${MCP_PATH}`), {
    fetch: async (input, init) => webResponse(await send(node.request, String(input), init)),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
};

const send = (request: TestRequest, url: string, init: RequestInit = {}): Promise<TestReply> => {
  const headers: [string, string][] = [];
  new Headers(init.headers).forEach((value, name) => void headers.push([name, value]));
  const { method = 'GET', body } = init;
  return request(method, new URL(url).pathname, { headers, ...(body != null && { body: String(body) }) });
};

const webResponse = ({ status, headers, text }: TestReply): Response =>
  new Response([202, 204].includes(status) ? null : text, { status, headers });

// biome-ignore lint/suspicious/noExplicitAny: a test says by what it reads what it expects
export type Loose = any;

/** Calls a tool. Returns its result and its error flag. */
export const call = async (client: Client, name: string, args: object = {}, meta?: object): Promise<Loose> =>
  client.callTool({ name, arguments: { ...args }, ...(meta && { _meta: { ...meta } }) });

/** Calls a tool, expects success, and returns its structured content. */
export const made = async (client: Client, name: string, args: object = {}, meta?: object): Promise<Loose> => {
  const result = await call(client, name, args, meta);
  if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
};

/** Posts a message without the SDK. */
export const post = (node: Target, key: string | undefined, body: unknown, headers: object = {}) =>
  node.request('POST', MCP_PATH, {
    ...(key !== undefined && { key }),
    headers: { Accept: 'application/json, text/event-stream', ...headers },
    body,
  });
