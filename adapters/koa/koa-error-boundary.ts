import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OutboundReply, type ServeOptions, ServiceError } from '../../ports/ports.ts';

/** Reports an error that no caller can see. */
export type ReportError = (message: string, error: unknown) => void;

/** The reply to a request that no handler could answer: the kernel's problem document, or a bare status. */
export const createRefusal =
  (refused: ServeOptions['refused']): ((error: ServiceError) => OutboundReply) =>
  (error) => {
    try {
      if (refused !== undefined) return refused(error);
    } catch {
      // Falls through to the bare status below when the kernel's own reply fails.
    }
    return { status: error.status, headers: { 'X-Content-Type-Options': 'nosniff' } };
  };

/**
 * Catches every error of one request and reports it. The client gets a 500 without detail, or loses the connection when
 * the reply had already begun.
 */
export const withinErrorBoundary = async (
  message: IncomingMessage,
  response: ServerResponse,
  options: { readonly refuse: (error: ServiceError) => OutboundReply; readonly report: ReportError },
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    options.report('a reply could not be written', error);
    if (response.headersSent || message.socket.destroyed) {
      // Sends the written part first. Without a proper end, the client recognises that the reply is incomplete.
      message.socket.destroySoon();
      return;
    }
    const { status, headers, body } = options.refuse(new ServiceError('internal', 'the node failed to answer'));
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const text = typeof body === 'string' ? body : '';
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' });
    response.end(text);
  }
};
