import { createEndpointIndex } from '../../adapters/koa/endpoint-index.ts';
import { refusalOf } from '../../adapters/koa/judge-target.ts';
import {
  type Clock,
  type InboundReply,
  type InboundRequest,
  type OutboundReply,
  type OutboundRequest,
  type ServeOptions,
  ServiceError,
  type Transport,
} from '../../ports/ports.ts';
import { UndeclaredReply } from '../kit/check-replies.ts';

/** A simulated HTTP network between the nodes of one test, whose links a test can cut. */
export interface LoopbackNetwork {
  /** Returns the transport of the node at this base address. */
  transport(url: string): Transport;
  /** Blocks requests between the two nodes, in either direction, until they are healed. */
  partition(urlA: string, urlB: string): void;
  heal(urlA: string, urlB: string): void;
  /** Delivers a request from outside the network, which no partition blocks. */
  deliver(url: string, request: LoopbackRequest): Promise<OutboundReply>;
}

export interface LoopbackRequest {
  readonly method: string;
  /** The path with its query, as sent over the wire. */
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

interface Served {
  readonly options: ServeOptions;
  readonly find: ReturnType<typeof createEndpointIndex>;
}

/** Creates the network. With a clock, a call without a reply within its time limit is given up. */
export const createLoopbackNetwork = (clock?: Pick<Clock, 'schedule'>): LoopbackNetwork => {
  const nodes = new Map<string, Served>();
  const cut = new Set<string>();
  const link = (a: string, b: string): string => [originOf(a), originOf(b)].sort().join(' ');
  const deliver = async (url: string, request: LoopbackRequest): Promise<OutboundReply> => {
    const served = nodes.get(originOf(url));
    if (served === undefined) throw unreachable();
    const mark = request.target.indexOf('?');
    const path = mark === -1 ? request.target : request.target.slice(0, mark);
    const query = mark === -1 ? '' : request.target.slice(mark + 1);
    const found = served.find(request.method, path);
    const pathParameters = 'endpoint' in found ? found.pathParameters : {};
    const inbound = inboundRequest(request, { path, query, pathParameters });
    try {
      return await ('endpoint' in found
        ? found.endpoint.handle(inbound)
        : served.options.unmatched(inbound, found.allowed));
    } catch (error) {
      // A client would see only a bare 500, but a test must see the reason.
      if (error instanceof UndeclaredReply) throw error;
      return { status: 500, headers: {} };
    }
  };
  return {
    deliver,
    partition: (a, b) => {
      cut.add(link(a, b));
    },
    heal: (a, b) => {
      cut.delete(link(a, b));
    },
    transport: (url) => ({
      async serve(options) {
        nodes.set(originOf(url), { options, find: createEndpointIndex(options.endpoints) });
        return {
          url,
          close: async () => {
            nodes.delete(originOf(url));
          },
        };
      },
      async send(request) {
        if (cut.has(link(url, request.url))) throw unreachable();
        return inboundReply(request, await inTime(deliver(request.url, outboundTarget(request)), request, clock));
      },
      // Every name on this network resolves to a public address.
      refusal: (target, rules) => refusalOf(target, rules, async () => [{ address: '8.8.8.8', family: 4 }]),
    }),
  };
};

/** Rejects when the time limit of the call ends before the reply. */
const inTime = async (
  reply: Promise<OutboundReply>,
  { timeoutMs }: OutboundRequest,
  clock: Pick<Clock, 'schedule'> | undefined,
): Promise<OutboundReply> => {
  if (clock === undefined) return reply;
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.schedule(timeoutMs, () => reject(unreachable()));
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    cancel();
  }
};

const originOf = (url: string): string => new URL(url).origin;

const unreachable = (): ServiceError => new ServiceError('unavailable', 'no answer from the other side');

const outboundTarget = ({ method, url, headers, body }: OutboundRequest): LoopbackRequest => {
  // The URL class is not used, because it would resolve `..` and re-encode the target.
  const target = /^[a-z]+:\/\/[^/?]*(.*)$/i.exec(url)?.[1] ?? '/';
  const sent = body === undefined ? {} : { body: toBytes(body) };
  return { method, target: target.startsWith('/') ? target : `/${target}`, headers: Object.entries(headers), ...sent };
};

const inboundRequest = (
  { method, headers: given = [], body, signal }: LoopbackRequest,
  located: Pick<InboundRequest, 'path' | 'query' | 'pathParameters'>,
): InboundRequest => {
  const hasLength = given.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const length = body === undefined || hasLength ? [] : [['Content-Length', String(body.length)] as const];
  const headers = [...given, ...length];
  const valuesOf = (name: string): string[] =>
    headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  return {
    ...located,
    method,
    header: (name) => valuesOf(name)[0],
    headerCount: (name) => valuesOf(name).length,
    body: async (maxBytes) => {
      const bytes = body ?? new Uint8Array();
      if (bytes.length > maxBytes) throw new ServiceError('too_large', `the body is larger than ${maxBytes} bytes`);
      return bytes;
    },
    remoteAddress: '127.0.0.1',
    signal: signal ?? new AbortController().signal,
  };
};

const inboundReply = async (request: OutboundRequest, reply: OutboundReply): Promise<InboundReply> => {
  const body = await readReplyBody(reply, request);
  if (body.length > request.maxResponseBytes && request.excess !== 'cut')
    throw new ServiceError('unavailable', 'the answer is too large');
  const headers = new Map(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    status: reply.status,
    header: (name) => headers.get(name.toLowerCase()),
    body: body.subarray(0, request.maxResponseBytes),
  };
};

/** Reads the body of a reply, up to the limit of a client. A reply to HEAD has no body. */
export const readReplyBody = async (
  { body }: OutboundReply,
  {
    method,
    maxResponseBytes = Number.POSITIVE_INFINITY,
  }: { readonly method: string; readonly maxResponseBytes?: number },
): Promise<Uint8Array> => {
  if (body === undefined) return new Uint8Array();
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  if (method === 'HEAD') {
    if (!isWhole) await body[Symbol.asyncIterator]().return?.();
    return new Uint8Array();
  }
  if (isWhole) return toBytes(body);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(toBytes(part));
    length += part.length;
    if (length > maxResponseBytes) break;
  }
  return Buffer.concat(parts);
};

const toBytes = (body: string | Uint8Array): Uint8Array => (typeof body === 'string' ? Buffer.from(body) : body);
