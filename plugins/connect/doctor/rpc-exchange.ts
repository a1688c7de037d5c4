import { ServiceError } from '../../../kernel/plugin-api.ts';

/** Sends one JSON-RPC message and returns the reply; undefined for a message without an id. */
export type SendMessage = (message: object) => Promise<unknown>;

/** The newest version of the protocol with the message `initialize`. Servers of later versions accept it too. */
const PROTOCOL_VERSION = '2025-11-25';

export interface Greeted {
  readonly serverName: string;
  readonly protocolVersion: string;
  readonly tools: number;
}

/** Starts a connection as a client does: initializes it, and lists the tools. */
export const greetServer = async (send: SendMessage, version: string): Promise<Greeted> => {
  const clientInfo = { name: 'fact-memory-node-doctor', version };
  const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
  const welcome = resultOf(await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params }), 'initialize');
  const { serverInfo, protocolVersion } = welcome as {
    readonly serverInfo?: { readonly name?: unknown };
    readonly protocolVersion?: unknown;
  };
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { tools } = resultOf(await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' }), 'tools/list');
  if (!Array.isArray(tools)) throw new ServiceError('unavailable', 'the reply to tools/list has no tools');
  return { serverName: String(serverInfo?.name), protocolVersion: String(protocolVersion), tools: tools.length };
};

const resultOf = (reply: unknown, method: string): Readonly<Record<string, unknown>> => {
  const { result, error } = (reply ?? {}) as {
    readonly result?: unknown;
    readonly error?: { readonly code?: unknown };
  };
  if (typeof result === 'object' && result !== null) return result as Readonly<Record<string, unknown>>;
  const code = typeof error?.code === 'number' ? ` with the error ${error.code}` : ' with no result';
  throw new ServiceError('unavailable', `the server replied to ${method}${code}`);
};
