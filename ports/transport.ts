import { defineRef } from './define-ref.ts';
import type { ServiceError } from './service-error.ts';

/** A request as received: parts that a check could still refuse are not parsed. */
export interface InboundRequest {
  readonly method: string;
  /** Path as sent, percent-encoding untouched, without the query. */
  readonly path: string;
  /** Query as sent, without the question mark; empty when there is none. */
  readonly query: string;
  /** Path parameters as sent, still percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** First value of a header, by lower-case name. */
  header(name: string): string | undefined;
  /** Returns how many times the request contains the header. */
  headerCount(name: string): number;
  /**
   * Reads the whole body, once. Rejects with `too_large` beyond `maxBytes` without reading on, and with
   * `malformed_json` when the connection ends early. An absent body is empty.
   */
  body(maxBytes: number): Promise<Uint8Array>;
  readonly remoteAddress: string;
  /** Aborts when the client disconnects or the transport gives up on the request. */
  readonly signal: AbortSignal;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The serialised body. An async iterable is streamed, no faster than the client reads; it is ended (`return`) when
   * the client disconnects. A reply to HEAD sends only the headers, and its stream is ended unread.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/**
 * One path and method. `path` is literal, with `:name` for a segment and `*name` for the undivided tail (at least one
 * character, slashes included), which literal segments may follow. A path is matched as sent, and a trailing slash
 * counts. Where several endpoints of the method match a path, a literal segment wins over `:name`, and `:name` over
 * `*name`, at the first segment where they differ. With equal tails, the longer literal end wins.
 */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  /**
   * True when replies hold a secret, perhaps beside text of the caller, and must not be compressed: the length of a
   * compressed reply reveals how much the two have in common (BREACH).
   */
  readonly holdsSecret?: true | undefined;
  handle(request: InboundRequest): Promise<OutboundReply>;
}

export interface ServeOptions {
  readonly endpoints: readonly Endpoint[];
  /**
   * Answers requests without a matching endpoint. `allowed` lists the methods that the path does have, empty for an
   * unknown path.
   */
  unmatched(request: InboundRequest, allowed: readonly string[]): Promise<OutboundReply>;
  /**
   * Answers failures before a request exists (broken framing, headers beyond the limit, a request that took too long to
   * arrive), and failures of an endpoint to answer. A transport without a network need not call it.
   */
  refused?(error: ServiceError): OutboundReply;
}

/** A running server. */
export interface Listener {
  /** The base address, for example `http://127.0.0.1:8765`. */
  readonly url: string;
  /** Stops accepting, lets running requests finish within `graceMs`, then cuts them. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** Limits on the addresses of an outbound call. */
export interface OutboundRules {
  /** Lets the call reach private and loopback addresses, and plain http. */
  readonly allowPrivate: boolean;
  /** The allowed ports unless `allowPrivate`. Default: any port. */
  readonly ports?: readonly number[];
}

export type OutboundPurpose = 'embedder' | 'identity' | 'peer' | 'webhook';

export interface OutboundRequest extends OutboundRules {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** The maximum size of the response's body in bytes. */
  readonly maxResponseBytes: number;
  /**
   * The purpose of the call, for metrics and traces. A webhook goes to an address that a client chose, so its receiver
   * does not get the trace; neither does one without a purpose.
   */
  readonly purpose?: OutboundPurpose;
  /**
   * The treatment of a longer body: the call rejects (`refuse`, the default), or the body is cut off without waiting
   * for the rest (`cut`).
   */
  readonly excess?: 'refuse' | 'cut';
}

export interface InboundReply {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

/** HTTP in both directions, so that one fake network can replace both in tests. */
export interface Transport {
  /**
   * Serves until closed. An error of an endpoint reaches the client only as the endpoint's own reply or as a bare 500.
   * Endpoints are matched by path before method; an unlisted endpoint does not exist.
   */
  serve(options: ServeOptions): Promise<Listener>;
  /**
   * Sends one request. Never follows redirects, and ignores proxy variables. Resolves for any status. Rejects with
   * `ServiceError('unavailable')` without an answer, for every cause.
   */
  send(request: OutboundRequest): Promise<InboundReply>;
  /**
   * Returns the reason why `send` would refuse this address; undefined when it would not. Checks spelling, port, and
   * every current address of the name. For an early refusal; `send` checks again, because names change. A name without
   * an address is refused, except with `maybeLater`, which treats it as unreachable for now.
   */
  refusal(url: string, rules: OutboundRules & { readonly maybeLater?: boolean }): Promise<string | undefined>;
}

export const Transport = defineRef<Transport>('port.transport');
