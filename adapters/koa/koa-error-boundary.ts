import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OutboundReply, type ServeOptions, ServiceError } from '../../ports/ports.ts';

/** Told of what no caller can be told. */
export type ReportError = (message: string, error: unknown) => void;

/** What answers a request for which nothing else could: the kernel's problem document, or a bare status. */
export const createRefusal =
  (refused: ServeOptions['refused']): ((error: ServiceError) => OutboundReply) =>
  (error) => {
    try {
      if (refused !== undefined) return refused(error);
    } catch {
      // The bare status below says as much.
    }
    return { status: error.status, headers: { 'X-Content-Type-Options': 'nosniff' } };
  };

/**
 * Surrounds the answering of one request: whatever is thrown inside is reported, and reaches the client as a 500
 * without detail, or, when the reply had already begun, as the end of the connection.
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
      // What was written goes out first; that the end is missing tells the client the rest.
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
