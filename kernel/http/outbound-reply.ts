import type { OutboundReply } from '../../ports/ports.ts';
import { spellBody } from '../pages/spelled-list.ts';
import type { Reply } from './route-definition.ts';
import { pageHeaders, RETRY_SOON } from './standard-headers.ts';

/** Returns the reply of a handler in the form that the transport sends, with `headers` added. */
export const outboundReply = (reply: Reply, headers: Record<string, string>): OutboundReply => {
  for (const member of ['bytes', 'text'] as const) {
    // Throws here, so that the caller gets a 500. The transport could only break off the connection.
    if (!isSendable(reply[member])) throw new Error(`the ${member} of a reply cannot be sent`);
  }
  const body = reply.bytes ?? reply.text ?? (reply.body === undefined ? undefined : spellBody(reply.body));
  const usualType = reply.bytes === undefined ? 'application/json' : 'application/octet-stream';
  if (body !== undefined) headers['Content-Type'] = reply.contentType ?? usualType;
  Object.assign(headers, pageHeaders(reply.contentType));
  if (reply.status === 503) Object.assign(headers, RETRY_SOON);
  if (reply.headers !== undefined) Object.assign(headers, reply.headers);
  return body === undefined ? { status: reply.status, headers } : { status: reply.status, headers, body };
};

const isSendable = (body: unknown): boolean =>
  body === undefined ||
  typeof body === 'string' ||
  body instanceof Uint8Array ||
  (typeof body === 'object' && body !== null && Symbol.asyncIterator in body);
