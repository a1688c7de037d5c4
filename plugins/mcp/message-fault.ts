/** The reason why a document is no message of the protocol, and the id to reply to. */
export interface MessageFault {
  readonly id: string | number | null;
  readonly reason: string;
}

/** Judges a JSON document by the form of JSON-RPC. Returns undefined for a request, a notification or a reply. */
export const faultOfMessage = (document: unknown): MessageFault | undefined => {
  if (Array.isArray(document)) return { id: null, reason: 'a batch is not taken: send one message a line' };
  if (typeof document !== 'object' || document === null) return { id: null, reason: 'a message is an object' };
  const { jsonrpc, id, method, params } = document as Readonly<Record<string, unknown>>;
  const reason = faultOf({ jsonrpc, id, method, params }, isReply(document));
  return reason === undefined ? undefined : { id: isId(id) ? id : null, reason };
};

const faultOf = (
  { jsonrpc, id, method, params }: Readonly<Record<'jsonrpc' | 'id' | 'method' | 'params', unknown>>,
  hasResult: boolean,
): string | undefined => {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (id !== undefined && !isId(id)) return 'id must be a string, or an integer that a double can hold';
  if (method === undefined && hasResult) return undefined;
  if (typeof method !== 'string') return 'method must be a string';
  return params === undefined || isObject(params) ? undefined : 'params must be an object';
};

const isReply = (document: object): boolean => 'result' in document || 'error' in document;
const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
