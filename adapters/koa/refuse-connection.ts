import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type OutboundReply, ServiceError } from '../../ports/ports.ts';

type Refuse = (error: ServiceError) => OutboundReply;

/**
 * Replies to requests that Node's parser refuses with a problem document, and closes: broken framing 400, headers
 * beyond the limit 431, a request that took too long to arrive 408. A connection that still waits for the reply to a
 * valid request ends with that reply instead. Adds each of these connections to `doomed`, so that the server reads no
 * further request from it.
 */
export const refuseBrokenRequests = (server: Server, refuse: Refuse, doomed: WeakSet<Duplex>): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (doomed.has(socket)) return;
    doomed.add(socket);
    const current = (socket as AnsweringSocket)._httpMessage;
    if (current?.req?.complete === true && !current.finished) return;
    const reason = reasonOf(error);
    // Sends no refusal after the start of a reply, because its bytes would become part of that reply.
    if (reason === undefined || current?.headersSent === true || !socket.writable) socket.destroy();
    else sayAndClose(socket, refuse(reason));
  });
  // Refuses CONNECT like any method that is not served. Without a listener, Node closes the connection silently.
  server.on('connect', (_request: IncomingMessage, socket) => {
    sayAndClose(socket, refuse(new ServiceError('bad_parameter', 'CONNECT is not served')));
  });
};

/** Node's own member for the response that a connection is busy with. */
interface AnsweringSocket extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
}

const reasonOf = ({ code = '' }: NodeJS.ErrnoException): ServiceError | undefined => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError('headers_too_large', 'request line and headers together are larger than 32 KiB');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('bad_parameter', 'the request took too long to arrive', { status: 408 });
  }
  if (code.startsWith('HPE_')) return new ServiceError('bad_parameter', 'the request is not valid HTTP/1.1');
  return undefined;
};

/**
 * Sends a reply and half-closes the connection. The client has time to read the reply before unread data causes a
 * reset.
 */
const sayAndClose = (socket: Duplex, reply: OutboundReply): void => {
  const body = typeof reply.body === 'string' ? reply.body : '';
  const headers = { ...reply.headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  const cut = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
  socket.once('close', () => clearTimeout(cut));
};

const CLOSE_AFTER_MS = 500;
