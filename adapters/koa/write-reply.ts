import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OutboundReply } from '../../ports/ports.ts';
import { drainBody } from './drain-body.ts';
import { hasBody } from './read-body.ts';

export interface ReplyOptions {
  /** Whether to close the connection after this reply. */
  readonly closeAfter: boolean;
  /** False when the end of the request's body is unknown. */
  readonly mayDrain: boolean;
  /** The time after which a client that reads nothing of the reply is disconnected. */
  readonly stallMs: number;
  /** Aborts when the server is about to close, which ends streams of events. */
  readonly closing: AbortSignal;
}

/**
 * Writes a reply and ends the response. Rejects when a stream of the reply failed or a header cannot be sent. A client
 * that went away is no error.
 */
export const writeReply = async (
  reply: OutboundReply,
  message: IncomingMessage,
  response: ServerResponse,
  options: ReplyOptions,
): Promise<void> => {
  const { body = '' } = reply;
  if (response.closed || message.socket.destroyed) {
    if (isStream(body)) await endStream(body);
    return;
  }
  let encoding: BufferEncoding = 'utf8';
  const isUnread = hasBody(message) && !message.complete;
  // Closes the connection of a client that still waits for `100 Continue`: it may send either its body or the next
  // request.
  const isWaiting = isUnread && message.headers.expect !== undefined && !message.readableDidRead;
  const mustClose = options.closeAfter || isWaiting || (isUnread && lengthOf(message) > CHEAP_BODY_BYTES);
  const mustDrain = isUnread && mustClose && !isWaiting && options.mayDrain;
  const headers: Record<string, string | number> = { ...reply.headers };
  // Preserves the `Vary` value of the cross-origin rules.
  const vary = response.getHeader('Vary');
  if (headers['Vary'] !== undefined && vary !== undefined) headers['Vary'] = `${vary}, ${headers['Vary']}`;
  if (mustClose) headers['Connection'] = 'close';
  if (isStream(body)) {
    response.writeHead(reply.status, headers);
    if (message.method === 'HEAD') await endStream(body);
    else await writeStream(body, response, options.stallMs, isEndless(reply) ? options.closing : undefined);
  } else {
    const length = Buffer.byteLength(body);
    // Sends ASCII text as bytes, which is faster.
    if (length === body.length) encoding = 'latin1';
    if (reply.status !== 204 && reply.status !== 304) headers['Content-Length'] = length;
    response.writeHead(reply.status, headers);
    if (body.length > STALL_WATCH_BYTES) response.setTimeout(options.stallMs);
    // Sends the whole reply before it reads the rest of the body. Closing a socket with unread data causes a reset, and
    // a client that is still sending would lose the reply.
    if (mustDrain) {
      if (message.method !== 'HEAD') response.write(body, encoding);
      await drainBody(message);
    }
  }
  const isCutShort = isEndless(reply) && options.closing.aborted;
  if (isCutShort) response.once('finish', () => message.socket.end());
  response.end(isStream(body) || mustDrain || message.method === 'HEAD' ? undefined : body, encoding);
};

type ByteStream = AsyncIterable<string | Uint8Array>;

const isStream = (body: NonNullable<OutboundReply['body']>): body is ByteStream =>
  typeof body !== 'string' && !(body instanceof Uint8Array);

/** Ends a stream that nobody reads, so that its producer can clean up. */
const endStream = async (body: ByteStream): Promise<void> => {
  await body[Symbol.asyncIterator]().return?.();
};

const isEndless = ({ headers }: OutboundReply): boolean =>
  headers['Content-Type']?.startsWith('text/event-stream') ?? false;

const lengthOf = (message: IncomingMessage): number =>
  Number(message.headers['content-length'] ?? Number.POSITIVE_INFINITY);

/** Writes a stream. When the client disconnects, it stops and notifies the producer. */
const writeStream = async (
  body: ByteStream,
  response: ServerResponse,
  stallMs: number,
  closing: AbortSignal | undefined,
): Promise<void> => {
  const pieces = body[Symbol.asyncIterator]();
  let end = (): void => {};
  const closed = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  response.once('close', end);
  // Checks for an earlier abort, which raises no event.
  if (closing?.aborted === true) end();
  else closing?.addEventListener('abort', end, { once: true });
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), closed]);
      if (next === undefined || next.done === true) return;
      if (response.write(next.value)) continue;
      response.setTimeout(stallMs);
      const drained = new Promise<true>((resolve) => response.once('drain', () => resolve(true)));
      if ((await Promise.race([drained, closed])) === undefined) return;
      response.setTimeout(0);
    }
  } finally {
    closing?.removeEventListener('abort', end);
    // Not awaited, because a busy producer would delay the end.
    void pieces.return?.().catch(() => {});
  }
};

/** The size up to which Node itself discards an unread body after a reply and reuses the connection. */
const CHEAP_BODY_BYTES = 64 * 1024;
const STALL_WATCH_BYTES = 64 * 1024;
