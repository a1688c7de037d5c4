import { objectRequiring } from '../../kernel/internal-api.ts';
import { memberRefusal, type Reply, type Route, type RouteRequest } from '../../kernel/plugin-api.ts';
import type { HttpFace } from './http-face.ts';
import { MCP_HEADERS } from './mcp-headers.ts';
import type { MemoryServerParts } from './memory-server.ts';
import type { JsonObject } from './refused-question.ts';

export const MCP_PATH = '/v1/mcp';

type Message = JsonObject;

export interface McpRouteParts {
  /** Loads the SDK on the first request that needs it. */
  face(): Promise<HttpFace>;
  /** The parts of the server for one request. */
  partsFor(request: RouteRequest<undefined, undefined, Message>): MemoryServerParts;
  readonly nodeUrl: string;
  /** The address that tells clients how to get a key; undefined if only operators create keys. */
  readonly resourceMetadata: string | undefined;
}

/**
 * `POST /v1/mcp`: the Model Context Protocol, streamable HTTP without sessions. GET and DELETE belong to sessions, so
 * the path does not support them.
 */
export const mcpRoute = (parts: McpRouteParts): Route<undefined, undefined, Message> => ({
  method: 'POST',
  path: MCP_PATH,
  slashAtEnd: true,
  summary: 'Model Context Protocol: the tools, resources and prompts of this memory, one message a request',
  access: { permission: 'any' },
  origins: 'known',
  // Costs nothing here, because the requests of the tools are counted themselves.
  cost: 0,
  ...(parts.resourceMetadata !== undefined && { challenge: `resource_metadata="${parts.resourceMetadata}"` }),
  // The protocol no longer has batches, so an array is refused. The node sends clients no requests, so no message is
  // a reply.
  body: objectRequiring<Message>(['jsonrpc', 'method'], {
    jsonrpc: { type: 'string', const: '2.0' },
    // A null must not count as absent, because a request without an id is a notification, which gets no answer.
    id: { type: ['string', 'integer', 'null'], description: 'Null is refused; a notification has no id.' },
    method: { type: 'string', maxLength: 256 },
    params: { type: 'object' },
  }),
  headers: MCP_HEADERS,
  answers: {
    200: { json: RPC_JSON },
    202: {},
    400: REFUSED_JSON,
    404: REFUSED_JSON,
  },
  example: {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    status: 200,
  },
  handle: async (request) => {
    if (request.body['id'] === null) {
      throw memberRefusal('body.id', 'must be a string or an integer: leave it out for a notification');
    }
    const face = await parts.face();
    const { body, header, signal } = request;
    const url = `${parts.nodeUrl}${MCP_PATH}`;
    return replyOf(await face.answer({ body, url, header, signal, server: parts.partsFor(request) }));
  },
});

const RPC_JSON = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    result: { type: 'object' },
    error: { type: 'object' },
  },
} as const;

/** A refusal by the protocol. Refusals by the node come earlier, as ordinary problem documents. */
const REFUSED_JSON = { json: RPC_JSON, text: ['application/problem+json'] };

const replyOf = async (response: Response): Promise<Reply> => {
  const { status, headers } = response;
  const contentType = headers.get('content-type') ?? undefined;
  if (response.body === null) return { status };
  const reply = { status, ...(contentType !== undefined && { contentType }) };
  if (contentType?.startsWith('text/event-stream')) return { ...reply, bytes: response.body };
  const text = await response.text();
  return text === '' ? { status } : { ...reply, text };
};
