import type { InboundRequest, Principal } from '../../ports/ports.ts';
import { defineCollectHook, defineEventHook, defineFilterHook } from '../hooks/define-hook.ts';

/** A request for the hooks `http:principal` and `http:admit`. */
export interface HttpRequestInfo {
  readonly request: InboundRequest;
  /** The path pattern of the matched route; null without a match. */
  readonly route: string | null;
  readonly access: 'open' | 'peer' | 'key';
  /** The quota dimension of the route. */
  readonly dimension: string | null;
}

/**
 * Before the Authorizer, on routes for keys, with the bearer token. A handler returns the principal of a token that it
 * recognises, and nothing for every other token. The Authorizer checks a token that no handler recognises. A throw
 * refuses the request.
 */
export const httpCredential = defineCollectHook<{ readonly token: string }, Principal>('http:credential');

/**
 * After the Authorizer, before route and method are checked. Null means that the Authorizer did not run (peer routes),
 * or that it refused the credential of a request without a matching route.
 */
export const httpPrincipal = defineFilterHook<Principal | null, HttpRequestInfo>('http:principal');

/**
 * After authentication and routing, before the check of permission and body. A throw refuses the request; returned
 * headers are added to the answer.
 */
export const httpAdmit = defineCollectHook<
  HttpRequestInfo & { readonly caller: Principal },
  Readonly<Record<string, string>>
>('http:admit');

/** A refused request, without its credential. */
export interface RefusedRequest {
  readonly method: string;
  /** The path pattern of the matched route; null without a match. */
  readonly route: string | null;
  readonly access: HttpRequestInfo['access'];
  /** The address of the client, as trusted proxies report it. */
  readonly address: string;
  /**
   * The key for counting refusals: the address, or the network of an IPv6 address, because a client has many of those.
   */
  readonly network: string;
  /** The code of the error. */
  readonly code: string;
  /** Whether the request has a credential, in the header or in the body of an open route. */
  readonly presentsCredential: boolean;
  /** Returns the lower-case hex SHA-256 of the credential in the header; null for a request without one. */
  credentialDigest(): string | null;
}

/**
 * After a request was answered with 401. Nothing waits for the handlers. Clients can send any number of refused
 * requests, so handlers must be cheap, and store at most a bounded number a minute.
 */
export const httpRefused = defineEventHook<RefusedRequest>('http:refused');
