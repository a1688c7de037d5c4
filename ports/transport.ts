import { defineRef } from './define-ref.ts';
import type { ServiceError } from './service-error.ts';

/** A request as it came over the wire: nothing is parsed that a check could still refuse. */
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
  /** How many times the header was sent. */
  headerCount(name: string): number;
  /**
   * The whole body, once. Rejects with `too_large` past `maxBytes` without reading on, with `malformed_json` when the
   * connection ends early. An absent body is empty.
   */
  body(maxBytes: number): Promise<Uint8Array>;
  readonly remoteAddress: string;
  /** Aborts when the client goes away or the transport gives up on the request. */
  readonly signal: AbortSignal;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Already serialised. An async iterable is streamed, no faster than the client reads; it is ended (`return`) when the
   * client goes away. Of a reply to HEAD the headers alone are sent, and a stream is ended without being read.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/**
 * One path and method. `path` is literal, with `:name` for a segment and `*name` for the undivided tail (one character
 * or more, slashes included), which literal segments may follow. A path is matched as sent, and a trailing slash
 * counts.
 *
 * Where several endpoints of the method take a path, a literal segment wins over `:name`, and `:name` over `*name`, at
 * the first segment where they differ; with tails alike, the longer literal end wins.
 */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  /**
   * Its replies hold a secret, perhaps beside text that a caller chose, and must not be compressed: the length of a
   * compressed reply tells how much the two have in common (BREACH).
   */
  readonly holdsSecret?: true | undefined;
  handle(request: InboundRequest): Promise<OutboundReply>;
}

export interface ServeOptions {
  readonly endpoints: readonly Endpoint[];
  /** Answers what no endpoint takes. `allowed` lists the methods that the path does have, empty for an unknown path. */
  unmatched(request: InboundRequest, allowed: readonly string[]): Promise<OutboundReply>;
  /**
   * Answers what never became a request (broken framing, headers beyond the limit, a request that took too long to
   * arrive) and what an endpoint failed to answer. A transport without a wire of its own need not call it.
   */
  refused?(error: ServiceError): OutboundReply;
}

/** A running server. */
export interface Listener {
  /** Base address, for example `http://127.0.0.1:8765`. */
  readonly url: string;
  /** Stops accepting, lets running requests finish within `graceMs`, then cuts them. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** What addresses may be called. */
export interface OutboundRules {
  /** Lets the call reach private and loopback addresses, and plain http. */
  readonly allowPrivate: boolean;
  /** The only ports that may be called unless `allowPrivate`; any when left out. */
  readonly ports?: readonly number[];
}

export type OutboundPurpose = 'embedder' | 'identity' | 'peer' | 'webhook';

export interface OutboundRequest extends OutboundRules {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** No more of the response's body is read. */
  readonly maxResponseBytes: number;
  /**
   * What the call is for, in measurements and traces. A webhook goes to an address that a client chose, so the receiver
   * does not get to know the trace; nor does it where this is left out.
   */
  readonly purpose?: OutboundPurpose;
  /**
   * A longer body makes the call reject (`refuse`, the default), or is cut off there and the rest not waited for
   * (`cut`).
   */
  readonly excess?: 'refuse' | 'cut';
}

export interface InboundReply {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

/** HTTP in both directions, so that one loopback network can fake both and cut either. */
export interface Transport {
  /**
   * Serves until closed. Never lets an error of an endpoint reach the client as anything but the endpoint's own reply
   * or a bare 500. Endpoints are matched by path before method; an endpoint that is not listed does not exist.
   */
  serve(options: ServeOptions): Promise<Listener>;
  /**
   * Sends one request. Redirects are never followed and proxy variables are ignored. Rejects with
   * `ServiceError('unavailable')` when no answer came, whatever the reason; any status is an answer.
   */
  send(request: OutboundRequest): Promise<InboundReply>;
  /**
   * Why `send` would not call this address, or undefined when it would: spelling, port, and every address that the name
   * has now. For refusing an address early; `send` judges it again, because names change. A name without an address is
   * refused too, unless `maybeLater`: then it counts as a host that cannot be reached yet.
   */
  refusal(url: string, rules: OutboundRules & { readonly maybeLater?: boolean }): Promise<string | undefined>;
}

export const Transport = defineRef<Transport>('port.transport');
