import {
  defineRef,
  type Endpoint,
  type InboundRequest,
  type OutboundReply,
  type ServeOptions,
  ServiceError,
} from '../../ports/ports.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import { MAX_PAGE_BYTES } from '../pages/spelled-list.ts';
import type { Span } from '../telemetry/span.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';
import { HandlerRequest } from './handler-request.ts';
import type { RouteRequest } from './route-definition.ts';
import { type RouteQuestion, spellQuestion } from './route-path.ts';

export interface LocalReply {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
}

/**
 * Calls the routes of this node, for a plugin that provides another protocol. A call runs every check of a request over
 * the network, because there must be no way around them.
 */
export interface LocalRequests {
  /** Returns whether the node has the route with this method and pattern; false until every plugin was set up. */
  serves(route: string): boolean;
  /**
   * Calls a route as the caller of `outer`, with its credential, address and headers of this service, under its request
   * id, and in its trace. Any status is a reply. Throws for an unknown route, for a reply of more than 8 MiB
   * (`too_large`), and for an `outer` that is such a call itself.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a request of any route
  send(outer: RouteRequest<any, any, any>, question: RouteQuestion): Promise<LocalReply>;
}

export const LocalRequests = defineRef<LocalRequests>('kernel.local-requests');

export interface LocalRequestParts {
  /** Returns the compiled endpoints; undefined until every plugin was set up. */
  served(): ServeOptions | undefined;
  readonly names: ServiceNames;
  readonly telemetry: Telemetry;
}

export const createLocalRequests = ({ served, names, telemetry }: LocalRequestParts): LocalRequests => {
  let endpoints: ReadonlyMap<string, Endpoint> | undefined;
  const find = (route: string): Endpoint | undefined => {
    endpoints ??= indexed(served());
    return endpoints?.get(route);
  };
  const prefixes = [`${names.name}-`, `x-${names.name}-`];
  const isForwarded = (name: string): boolean =>
    FORWARDED.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return {
    serves: (route) => find(route) !== undefined,
    send: async (outer, question) => {
      const received = HandlerRequest.receivedBy(outer);
      if (received === undefined || received instanceof LocalRequest) {
        throw new Error('a local request is made for a request that came over the wire');
      }
      const endpoint = find(question.route);
      if (endpoint === undefined) throw new Error(`this node has no route ${question.route}`);
      return telemetry.span(`local ${question.route}`, {}, async (span) => {
        const request = new LocalRequest(received, question, { span, isForwarded, requestId: outer.requestId });
        return localReply(await endpoint.handle(request));
      });
    },
  };
};

const indexed = (served: ServeOptions | undefined): ReadonlyMap<string, Endpoint> | undefined =>
  served && new Map(served.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]));

/** Forwarded headers: those about the caller and those of the service, but not those about the outer body. */
const FORWARDED: ReadonlySet<string> = new Set(['authorization', 'host', 'origin', 'x-forwarded-for']);

interface LocalRequestWays {
  readonly span: Span;
  isForwarded(name: string): boolean;
  readonly requestId: string;
}

/** Adapts a local call to a request for the endpoint. */
class LocalRequest implements InboundRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly #outer: InboundRequest;
  readonly #isForwarded: (name: string) => boolean;
  readonly #own: ReadonlyMap<string, string>;
  readonly #body: Uint8Array;

  constructor(outer: InboundRequest, question: RouteQuestion, { span, isForwarded, requestId }: LocalRequestWays) {
    const { method, path, query, pathParameters } = spellQuestion(question);
    this.method = method;
    this.path = path;
    this.query = query;
    this.pathParameters = pathParameters;
    this.#outer = outer;
    this.#isForwarded = isForwarded;
    this.#body = question.body === undefined ? EMPTY : Buffer.from(JSON.stringify(question.body));
    this.#own = new Map([
      ...Object.entries(question.headers ?? {}),
      ...Object.entries(span.headers()),
      ['x-request-id', requestId],
      ...(question.body === undefined
        ? []
        : ([
            ['content-type', 'application/json'],
            ['content-length', String(this.#body.length)],
          ] as const)),
    ]);
  }

  get remoteAddress(): string {
    return this.#outer.remoteAddress;
  }

  get signal(): AbortSignal {
    return this.#outer.signal;
  }

  header(name: string): string | undefined {
    return this.#own.get(name) ?? (this.#isForwarded(name) ? this.#outer.header(name) : undefined);
  }

  headerCount(name: string): number {
    if (this.#own.has(name)) return 1;
    return this.#isForwarded(name) ? this.#outer.headerCount(name) : 0;
  }

  async body(maxBytes: number): Promise<Uint8Array> {
    if (this.#body.length <= maxBytes) return this.#body;
    throw new ServiceError('too_large', `the body is larger than ${maxBytes} bytes`);
  }
}

const EMPTY = new Uint8Array();

const localReply = async ({ status, headers, body }: OutboundReply): Promise<LocalReply> => {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { status, header: (name) => byName.get(name.toLowerCase()), text: await textOf(body) };
};

const textOf = async (body: OutboundReply['body']): Promise<string> => {
  if (body === undefined || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > MAX_PAGE_BYTES) throw new ServiceError('too_large', 'the reply of the route is larger than 8 MiB');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
};
