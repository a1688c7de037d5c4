import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { OutboundReply } from '../../ports/ports.ts';
import { acceptedCoding, type Coding } from './accepted-coding.ts';

/** Returns the reply to send: with a compressed body if the client accepts one and the body is long enough. */
export type CompressReply = (reply: OutboundReply, message: IncomingMessage) => Promise<OutboundReply> | OutboundReply;

/** The minimum size for compression. Shorter bodies fit into one or two packets. */
const MIN_BYTES = 2 * 1024;

/**
 * The maximum number of concurrent compressions. zlib uses Node's four threads, which files and name look-ups need too.
 * While all are busy, replies go out uncompressed.
 */
const AT_ONCE = 3;

/**
 * Compresses complete bodies off the event loop with Brotli at quality 1, which is faster and smaller than gzip for
 * JSON. It does not compress streams, because events must not wait until a block is full.
 */
export const createReplyCompression = (): CompressReply => {
  const cache = new WeakMap<Uint8Array, Map<Coding, Uint8Array>>();
  let running = 0;
  const compressed = async (body: string | Uint8Array, coding: Coding, isCacheable: boolean): Promise<Uint8Array> => {
    const known = isCacheable && typeof body === 'object' ? cache.get(body)?.get(coding) : undefined;
    if (known !== undefined) return known;
    running += 1;
    try {
      const made = await COMPRESS[coding](body);
      if (isCacheable && typeof body === 'object') cache.set(body, (cache.get(body) ?? new Map()).set(coding, made));
      return made;
    } finally {
      running -= 1;
    }
  };
  return (reply, message) => {
    const { body, status } = reply;
    // A 304 stands for a document that would have been compressed, so it needs the same `Vary`.
    if (status === 304) return { ...reply, headers: { ...reply.headers, Vary: withVary(reply.headers['Vary']) } };
    if (!isWorthIt(reply, body)) return reply;
    const headers: Record<string, string> = { ...reply.headers, Vary: withVary(reply.headers['Vary']) };
    const coding = acceptedCoding(message.headers['accept-encoding'] as string | undefined);
    if (coding === undefined || running >= AT_ONCE) return { ...reply, headers };
    const tag = headers['ETag'];
    // Makes a strong tag weak, because the compressed body has other bytes.
    if (tag?.startsWith('"') === true) headers['ETag'] = `W/${tag}`;
    headers['Content-Encoding'] = coding;
    // Caches the compressed bytes only for documents with a tag, because they are sent repeatedly.
    return compressed(body, coding, tag !== undefined).then((bytes) => ({ ...reply, headers, body: bytes }));
  };
};

const isWorthIt = ({ status, headers }: OutboundReply, body: OutboundReply['body']): body is string | Uint8Array => {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return false;
  if (body.length < MIN_BYTES || status === 206 || headers['Content-Encoding'] !== undefined) return false;
  return (
    COMPRESSIBLE.test(headers['Content-Type'] ?? '') && headers['Cache-Control']?.includes('no-transform') !== true
  );
};

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript|x-ndjson|yaml)\b|image\/svg\+xml)/i;

const withVary = (vary: string | undefined): string =>
  vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;

const gzipped = promisify<string | Uint8Array, object, Buffer>(gzip);
const brotlied = promisify<string | Uint8Array, object, Buffer>(brotliCompress);

/** A window of 256 KiB covers most replies, and limits the memory of one compression. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const GZIP = { level: 1 };

const COMPRESS: Readonly<Record<Coding, (body: string | Uint8Array) => Promise<Uint8Array>>> = {
  br: (body) => brotlied(body, BROTLI),
  gzip: (body) => gzipped(body, GZIP),
};
