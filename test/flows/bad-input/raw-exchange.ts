import { connect } from 'node:net';
import { nextClient } from '../../kit/next-client.ts';

/** A request in raw bytes, because HTTP libraries refuse to send malformed requests. */
export interface RawRequest {
  readonly method: string;
  /** The request target, as written in the request line. */
  readonly target: string;
  /** The headers in order; a name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

export interface RawReply {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const HEAD_END = '\r\n\r\n';

const bytesOf = ({ method, target, headers, body }: RawRequest): Buffer => {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const own = ['Host: 127.0.0.1', 'Connection: close', `X-Forwarded-For: ${nextClient()}`];
  const head = [`${method} ${target} HTTP/1.1`, ...own, ...length, ...lines].join('\r\n');
  return Buffer.concat([Buffer.from(head + HEAD_END, 'latin1'), body ?? Buffer.alloc(0)]);
};

const unchunked = (text: string): string => {
  let rest = text;
  let whole = '';
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, lineEnd), 16);
    if (!(size > 0)) return whole;
    whole += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    rest = rest.slice(lineEnd + 2 + size + 2);
  }
};

const parse = (reply: string): RawReply => {
  const headEnd = reply.indexOf(HEAD_END);
  if (headEnd < 0) throw new Error('the connection ended without an answer');
  const [statusLine = '', ...lines] = reply.slice(0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = reply.slice(headEnd + HEAD_END.length);
  const text = headers.get('transfer-encoding') === 'chunked' ? unchunked(body) : body;
  return { status: Number(statusLine.split(' ')[1]), headers, text: Buffer.from(text, 'latin1').toString('utf8') };
};

/**
 * Sends one request on a new connection. A connection that breaks after a complete answer is no error, because the node
 * cuts off unread bodies.
 */
export const exchange = (port: number, request: RawRequest): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (cause?: Error): void => {
      try {
        resolve(parse(Buffer.concat(chunks).toString('latin1')));
      } catch (error) {
        reject(cause ?? error);
      }
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', finish);
    socket.on('end', () => finish());
    // The socket stays open: a client that closes its half would look like one that no longer waits for the answer.
    socket.write(bytesOf(request));
  });
