import { lookup as systemLookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type InboundReply, type OutboundRequest, ServiceError } from '../../ports/ports.ts';
import { isDeniedAddress } from './denied-addresses.ts';
import { judgeTarget, type Resolve } from './judge-target.ts';

/**
 * Sends one request on a connection of its own. Unless the caller allows private addresses, only https to public
 * addresses goes out. The node judges every address of the name and connects to one of these, so that the name cannot
 * resolve to another one in between. The `Host` header and the certificate check still use the name.
 */
export const sendRequest = async (
  request: OutboundRequest,
  resolve: Resolve = resolveBySystem,
): Promise<InboundReply> => {
  const judged = judgeTarget(request.url, request);
  if ('refusal' in judged) throw unavailable(judged.refusal);
  const { url } = judged;
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
      readReply(response, request).then((reply) => {
        clearTimeout(deadline);
        if (!response.complete) outbound?.destroy();
        settle(reply);
      }, fail);
    });
    outbound.end(request.body);
  });
};

const open = (url: URL, request: OutboundRequest, resolve: Resolve): ClientRequest => {
  const body = request.body ?? '';
  const length = Buffer.byteLength(body);
  const options: RequestOptions = {
    method: request.method,
    path: targetOf(url, request.url),
    // Uses a new connection for each call, because a kept connection would be used later without a check of its
    // address.
    agent: false,
    headers: { ...request.headers, ...(request.body !== undefined && { 'Content-Length': length }) },
    lookup: checkedLookup(resolve, request.allowPrivate),
    maxHeaderSize: MAX_REPLY_HEADER_BYTES,
  };
  return url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
};

/** Returns path and query as the caller spelled them, because a URL object resolves `..` even in encoded form. */
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

export const resolveBySystem: Resolve = (host) =>
  new Promise((settle, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? settle(addresses) : reject(error),
    );
  });

const readReply = (
  response: IncomingMessage,
  { maxResponseBytes: maxBytes, excess }: OutboundRequest,
): Promise<InboundReply> =>
  new Promise((settle, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const answer = (): void =>
      settle({ status: response.statusCode ?? 0, header: headerReader(response), body: Buffer.concat(chunks) });
    response.on('data', (chunk: Buffer) => {
      const room = maxBytes - size;
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else if (excess === 'cut') {
        chunks.push(chunk.subarray(0, Math.max(0, room)));
        answer();
      } else reject(new Error(`the answer is larger than ${maxBytes} bytes`));
    });
    response.on('error', reject);
    response.on('close', () => reject(new Error('the connection ended before the whole answer had arrived')));
    response.on('end', answer);
  });

const headerReader =
  ({ headers }: IncomingMessage): InboundReply['header'] =>
  (name) =>
    [headers[name.toLowerCase()] ?? []].flat()[0];

const MAX_REPLY_HEADER_BYTES = 32 * 1024;

const unavailable = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('unavailable', message, cause === undefined ? {} : { cause });

/** Creates the error for a missing reply. It names only the origin, because path and query may hold secrets. */
const noAnswer = (url: URL, cause: unknown): ServiceError => {
  const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : 'unknown reason';
  return unavailable(`no answer from ${url.origin}: ${reason}`, cause);
};
