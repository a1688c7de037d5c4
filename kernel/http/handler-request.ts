import type { InboundRequest, Principal } from '../../ports/ports.ts';
import type { RouteRequest } from './route-definition.ts';

/** The request for a handler. The signal is created on demand, because that costs more than most handlers do. */
export class HandlerRequest<P, Q, B> implements RouteRequest<P, Q, B> {
  readonly requestId: string;
  readonly caller: Principal;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly #request: InboundRequest;

  constructor(request: InboundRequest, requestId: string, caller: Principal, params: P, query: Q, body: B) {
    this.#request = request;
    this.requestId = requestId;
    this.caller = caller;
    this.params = params;
    this.query = query;
    this.body = body;
  }

  /** Returns the inbound request; undefined for an object that a test or a plugin made. */
  static receivedBy(request: object): InboundRequest | undefined {
    return #request in request ? (request as HandlerRequest<unknown, unknown, unknown>).#request : undefined;
  }

  // An own property instead of a method, so that a handler may destructure it.
  readonly header = (name: string): string | undefined => this.#request.header(name);

  get path(): string {
    return this.#request.path;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** A request in tests, which throws when the handler reads an undeclared header. */
export class WatchedRequest<P, Q, B> extends HandlerRequest<P, Q, B> {
  override readonly header: (name: string) => string | undefined;

  constructor(declared: ReadonlySet<string>, ...parts: ConstructorParameters<typeof HandlerRequest<P, Q, B>>) {
    super(...parts);
    const [request] = parts;
    this.header = (name) => {
      if (declared.has(name.toLowerCase())) return request.header(name);
      throw new Error(`the route reads the header ${name}, which it does not declare`);
    };
  }
}
