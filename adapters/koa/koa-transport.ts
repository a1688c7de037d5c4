import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import Koa, { type Context } from 'koa';
import { type Listener, type ServeOptions, ServiceError, type Transport } from '../../ports/ports.ts';
import type { CorsOptions } from './allowed-origins.ts';
import { createReplyCompression } from './compress-reply.ts';
import { createCorsPolicy } from './cors-policy.ts';
import { createEndpointIndex } from './endpoint-index.ts';
import { type Resolve, refusalOf } from './judge-target.ts';
import { createRefusal, type ReportError, withinErrorBoundary } from './koa-error-boundary.ts';
import { KoaRequest } from './koa-request.ts';
import { listen } from './listen.ts';
import { refuseBrokenRequests } from './refuse-connection.ts';
import { resolveBySystem, sendRequest } from './send-request.ts';
import { writeReply } from './write-reply.ts';

export interface KoaTransportOptions extends CorsOptions {
  readonly host: string;
  /** The port to listen on. 0 lets the system choose one, which the listener's URL contains. */
  readonly port: number;
  readonly report: ReportError;
  readonly socketOptions?: Partial<SocketOptions>;
  /** Resolves names of outbound calls. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Whether to compress long replies for clients that accept it. Default: true. */
  readonly compression?: boolean;
}

/** Time limits for slow clients, in milliseconds. */
export interface SocketOptions {
  readonly headersTimeoutMs: number;
  /** The time limit for the whole request, including the body. */
  readonly requestTimeoutMs: number;
  /** The interval at which Node checks the request and header timeouts, by which a slow client may exceed them. */
  readonly checkIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  /** The time after which a client that reads nothing of a reply is disconnected. */
  readonly stallMs: number;
}

/** The default limits. They end a connection that sends its request very slowly within 25 seconds. */
const SOCKET_OPTIONS: SocketOptions = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 20_000,
  checkIntervalMs: 5_000,
  keepAliveTimeoutMs: 65_000,
  stallMs: 60_000,
};

/** The maximum size of request line and headers together. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Creates the HTTP/1.1 transport: Koa on Node's server for inbound requests, and Node's client for outbound calls. */
export const createKoaTransport = (options: KoaTransportOptions): Transport => ({
  serve: (serveOptions) => serve(serveOptions, options),
  send: (request) => sendRequest(request, options.resolve),
  refusal: (url, rules) => refusalOf(url, rules, options.resolve ?? resolveBySystem),
});

const serve = async (serveOptions: ServeOptions, options: KoaTransportOptions): Promise<Listener> => {
  const sockets = { ...SOCKET_OPTIONS, ...options.socketOptions };
  const refuse = createRefusal(serveOptions.refused);
  /** Connections that close after their pending reply. Further bytes on them are not read as requests. */
  const doomed = new WeakSet<Duplex>();
  const compress = options.compression === false ? undefined : createReplyCompression();
  const findEndpoint = createEndpointIndex(serveOptions.endpoints);

  const boundary = { refuse, report: options.report };
  const answer = (context: Context): Promise<void> => {
    const { req: message, res: response } = context;
    context.respond = false;
    return withinErrorBoundary(message, response, boundary, async () => {
      const request = new KoaRequest(message, response, awaitingContinue.has(message));
      const problem = framingProblem(message);
      if (problem !== undefined) doomed.add(message.socket);
      const found = findEndpoint(request.method, request.path);
      if ('endpoint' in found) request.pathParameters = found.pathParameters;
      const reply =
        problem !== undefined
          ? refuse(problem)
          : 'endpoint' in found
            ? await found.endpoint.handle(request)
            : await serveOptions.unmatched(request, found.allowed);
      const closeAfter = doomed.has(message.socket) || !server.listening;
      const options = {
        closeAfter,
        mayDrain: problem === undefined,
        stallMs: sockets.stallMs,
        closing: closing.signal,
      };
      const isSecret = 'endpoint' in found && found.endpoint.holdsSecret === true;
      const sent = compress === undefined || isSecret ? reply : await compress(reply, message);
      await writeReply(sent, message, response, options);
    });
  };

  const closing = new AbortController();
  const awaitingContinue = new WeakSet<IncomingMessage>();
  const server = createHttpServer(createApp(answer, options), sockets, doomed, awaitingContinue);
  refuseBrokenRequests(server, refuse, doomed);
  const listener = await listen(server, options);
  return {
    ...listener,
    close: (graceMs) => {
      closing.abort();
      return listener.close(graceMs);
    },
  };
};

type Handler = (message: IncomingMessage, response: ServerResponse) => void;

const createApp = (answer: (context: Context) => Promise<void>, options: KoaTransportOptions): Handler => {
  const app = new Koa();
  // Without this listener, Koa prints to standard error whenever a client disconnects.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') options.report('a connection failed', error);
  });
  for (const rule of createCorsPolicy(options)) app.use(rule);
  app.use(answer);
  return app.callback();
};

const createHttpServer = (
  handle: Handler,
  sockets: SocketOptions,
  doomed: WeakSet<Duplex>,
  awaitingContinue: WeakSet<IncomingMessage>,
): Server => {
  const serverOptions = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: sockets.headersTimeoutMs,
    requestTimeout: sockets.requestTimeoutMs,
    connectionsCheckingInterval: sockets.checkIntervalMs,
    keepAliveTimeout: sockets.keepAliveTimeoutMs,
    // Disables Node's empty 400 for a missing Host, because `framingProblem` gives a better reply.
    requireHostHeader: false,
  };
  const handleUnlessDoomed: Handler = (message, response) => {
    if (!doomed.has(message.socket)) handle(message, response);
  };
  const server = createServer(serverOptions, handleUnlessDoomed);
  // Disables Node's limit on the number of headers, which drops headers silently. Their total size has a limit already.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    awaitingContinue.add(message);
    handleUnlessDoomed(message, response);
  });
  server.on('checkExpectation', handleUnlessDoomed);
  return server;
};

/**
 * Detects requests that a server must refuse by RFC 9112, but that Node's parser accepts or refuses only after the
 * headers.
 */
const framingProblem = ({ url = '', httpVersion, headers, rawHeaders }: IncomingMessage): ServiceError | undefined => {
  if (!url.startsWith('/')) return new ServiceError('bad_parameter', 'the request target must be a path');
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new ServiceError('bad_parameter', 'the request must be HTTP/1.1 or HTTP/1.0');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked')) {
    return new ServiceError('bad_parameter', 'no Transfer-Encoding but chunked is taken');
  }
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  const isLegal = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return isLegal ? undefined : new ServiceError('bad_parameter', 'the request must have one Host header');
};
