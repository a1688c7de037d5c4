import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type OutboundReply, ServiceError } from '../../ports/ports.ts';

type Refuse = (error: ServiceError) => OutboundReply;

/**
 * Replies to requests that Node's parser refuses with a problem document, and closes: broken framing 400, headers
 * beyond the limit 431, a request that took too long to arrive 408. A connection that still waits for the reply to a
 * sound request ends with that reply instead. All of them join the `doomed`, from which no request is taken.
 */
export const refuseBrokenRequests = (server: Server, refuse: Refuse, doomed: WeakSet<Duplex>): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (doomed.has(socket)) return;
    doomed.add(socket);
    const current = (socket as AnsweringSocket)._httpMessage;
    if (current?.req?.complete === true && !current.finished) return;
    const reason = reasonOf(error);
    // Bytes after the start of a reply would become part of it.
    if (reason === undefined || current?.headersSent === true || !socket.writable) socket.destroy();
    else sayAndClose(socket, refuse(reason));
  });
  // Node ends these connections without a word; the method is one like any other that is not served.
  server.on('connect', (_request: IncomingMessage, socket) => {
    sayAndClose(socket, refuse(new ServiceError('bad_parameter', 'CONNECT is not served')));
  });
};

/** The member by which Node itself knows the response that a connection is busy with. */
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

/** Half-closes after the reply and leaves the client time to read it before the reset that unread data would cause. */
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
