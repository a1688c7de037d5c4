import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type InboundReply, type OutboundRequest, ServiceError } from '../../ports/ports.ts';
import { isDeniedAddress, isInternalName } from './denied-addresses.ts';

/** Every address of a host name; rejects when it has none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * Sends one request on a connection of its own. Unless the caller allows private addresses, only https to public
 * addresses goes out: every address that the name has is judged, and the connection is made to one of those that were, so
 * that a name cannot resolve to something else in between. Host and certificate are still those of the name.
 */
export const sendRequest = async (
  request: OutboundRequest,
  resolve: Resolve = resolveBySystem,
): Promise<InboundReply> => {
  const url = parseTarget(request);
  return new Promise((settle, reject) => {
    const fail = (cause: unknown): void => {
      clearTimeout(deadline);
      outbound?.destroy();
      reject(noAnswer(url, cause));
    };
    const deadline = setTimeout(() => fail(new Error('the call took too long')), request.timeoutMs);
    let outbound: ClientRequest | undefined;
    try {
      outbound = open(url, request, resolve);
    } catch (error) {
      fail(error);
      return;
    }
    outbound.on('error', fail);
    outbound.on('upgrade', () => fail(new Error('the other side changed the protocol')));
    outbound.on('response', (response) => {
      readReply(response, request.maxResponseBytes).then((reply) => {
        clearTimeout(deadline);
        settle(reply);
      }, fail);
    });
    outbound.end(request.body);
  });
};

const parseTarget = ({ url: text, allowPrivate }: OutboundRequest): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw unavailable('the address to call is not a URL');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw unavailable(`calls to ${url.protocol}// addresses are not made`);
  }
  if (url.username !== '' || url.password !== '') throw unavailable('the address to call must not hold a user name');
  if (allowPrivate) return url;
  const host = hostOf(url);
  const isDenied = isIP(host) === 0 ? isInternalName(host) : isDeniedAddress(host);
  if (isDenied) throw unavailable(`calls to ${url.host} are not made: it is not a public address`);
  return url;
};

/** Without the brackets that a URL puts around an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const open = (url: URL, request: OutboundRequest, resolve: Resolve): ClientRequest => {
  const body = request.body ?? '';
  const length = Buffer.byteLength(body);
  const options: RequestOptions = {
    method: request.method,
    path: targetOf(url, request.url),
    // A connection for each call: one that is kept open would outlive the judgement of its address.
    agent: false,
    headers: { ...request.headers, ...(request.body !== undefined && { 'Content-Length': length }) },
    lookup: checkedLookup(resolve, request.allowPrivate),
    maxHeaderSize: MAX_REPLY_HEADER_BYTES,
  };
  return url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
};

/** Path and query as the caller spelled them: a URL object resolves `..`, encoded dots included. */
const targetOf = (url: URL, text: string): string => {
  const spelled = SPELLED_TARGET.exec(text)?.[1];
  return spelled?.startsWith('/') ? spelled : url.pathname + url.search;
};

const SPELLED_TARGET = /^https?:\/\/[^/?#\\]+([\x21-\x22\x24-\x5b\x5d-\x7e]*)(?:#.*)?$/i;

const checkedLookup =
  (resolve: Resolve, allowPrivate: boolean): LookupFunction =>
  (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        const first = addresses[0];
        const denied = addresses.some(({ address }) => isDeniedAddress(address));
        if (first === undefined) done(new Error('the name has no address'), '');
        else if (denied && !allowPrivate) done(new Error('the name leads to an address that is not public'), '');
        else if (options.all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };

const resolveBySystem: Resolve = (host) =>
  new Promise((settle, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? settle(addresses) : reject(error),
    );
  });

const readReply = (response: IncomingMessage, maxBytes: number): Promise<InboundReply> =>
  new Promise((settle, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) reject(new Error(`the answer is larger than ${maxBytes} bytes`));
      else chunks.push(chunk);
    });
    response.on('error', reject);
    response.on('close', () => reject(new Error('the connection ended before the whole answer had arrived')));
    response.on('end', () =>
      settle({ status: response.statusCode ?? 0, header: headerReader(response), body: Buffer.concat(chunks) }),
    );
  });

const headerReader =
  ({ headers }: IncomingMessage): InboundReply['header'] =>
  (name) =>
    [headers[name.toLowerCase()] ?? []].flat()[0];

const MAX_REPLY_HEADER_BYTES = 32 * 1024;

const unavailable = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('unavailable', message, cause === undefined ? {} : { cause });

/** Names the origin alone: path and query may hold secrets. */
const noAnswer = (url: URL, cause: unknown): ServiceError => {
  const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : 'unknown reason';
  return unavailable(`no answer from ${url.origin}: ${reason}`, cause);
};
