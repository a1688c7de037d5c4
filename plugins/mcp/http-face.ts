import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { MCP_HEADERS } from './mcp-headers.ts';
import { createMemoryServer, type MemoryServerParts } from './memory-server.ts';
import type { JsonObject } from './refused-question.ts';

/** One message to `POST /v1/mcp`. */
export interface McpExchange {
  readonly body: JsonObject;
  readonly url: string;
  /** First value of a header, by lower-case name. */
  header(name: string): string | undefined;
  readonly signal: AbortSignal;
  readonly server: MemoryServerParts;
}

/** Serves single messages, in the current and earlier revisions of the protocol. Stateless. */
export interface HttpFace {
  answer(exchange: McpExchange): Promise<Response>;
  /** Ends running exchanges. */
  close(): Promise<void>;
}

export const createHttpFace = (): HttpFace => {
  // A client needs no stream of changes, because lists do not change while the node runs.
  const { fetch: serve, close } = createMcpHandler((context) => createMemoryServer(partsIn(context)), {
    legacy: 'reject',
    maxSubscriptions: 0,
  });
  return {
    answer: async (exchange) => {
      const request = webRequest(exchange);
      if (await isLegacyRequest(request, exchange.body)) return answerBefore(request, exchange);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { parts: exchange.server } };
      return serve(request, { authInfo, parsedBody: exchange.body });
    },
    close,
  };
};

const partsIn = ({ authInfo }: McpRequestContext): MemoryServerParts => authInfo?.extra?.['parts'] as MemoryServerParts;

/** Handles protocol revisions before 2026-07-28, without a session. The reply is one JSON document, never a stream. */
const answerBefore = async (request: Request, { body, server: parts }: McpExchange): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createMemoryServer(parts);
  await server.connect(transport);
  const end = (): void => void server.close().catch(() => {});
  request.signal.addEventListener('abort', end, { once: true });
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    end();
  }
};

const webRequest = ({ url, header, signal }: McpExchange): Request => {
  // The node has read the body already, and always replies with JSON.
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of HEADERS) {
    const value = header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(url, { method: 'POST', headers, signal });
};

const HEADERS = Object.keys(MCP_HEADERS).map((name) => name.toLowerCase());
