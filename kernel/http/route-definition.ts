import type { ErrorCode, Principal, ServiceError } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import type { Answers, JsonSchema } from '../schemas/answer-schemas.ts';
import type { Awaitable } from '../time/awaitable.ts';
import { permissionId, type RequiredPermission } from '../vocabulary/permissions.ts';

/**
 * The right that a route requires. `open`: no credential; `peer`: a peer token; `any`: a valid API key; a list: one of
 * these permissions. Callers without it are refused with `refusal`, `authorization` by default.
 */
export type Access =
  | 'open'
  | 'peer'
  | { readonly permission: RequiredPermission | 'any' | readonly RequiredPermission[]; readonly refusal?: ErrorCode };

/** Ids of the permissions of which a caller needs one; `any` for every key, none for routes without a key. */
export const permissionsOf = (access: Access): readonly string[] =>
  typeof access === 'string'
    ? []
    : [access.permission].flat().map((asked) => (asked === 'any' ? asked : permissionId(asked)));

export interface RouteRequest<P, Q, B> {
  readonly caller: Principal;
  /** Percent-decoded once. */
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** First value of a header, by lower-case name. */
  header(name: string): string | undefined;
  readonly requestId: string;
  /** The path as it was sent, for cursors and links. */
  readonly path: string;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Serialised as JSON; a `SpelledList`, as the body or as a member of it, is used as it is. Absent for 204. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`; `contentType` then names it (default `application/json`). */
  readonly text?: string | AsyncIterable<string>;
  readonly contentType?: string;
  /**
   * Sent as it is, in place of `body`; `contentType` then names it (default `application/octet-stream`). A stream is
   * read no faster than the client takes it, and ended (`return`) when the client goes away.
   */
  readonly bytes?: Uint8Array | AsyncIterable<Uint8Array>;
}

/** One item of a body read as lines: the parsed JSON, or the error of that line alone. */
export type BodyItem = { readonly value: unknown } | { readonly error: ServiceError };

/**
 * One request that works; a test sends it as it stands. The API reference, the clients and the manual show it. Values
 * that only a running node knows, such as the id of a fact, have placeholders; the test replaces them.
 */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** The document; lines or a list of items where the form of the body is `items`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of its answer, one of the route's answers. The lowest of them unless given. */
  readonly status?: number;
}

/** A header of a request that a route reads. */
export interface RouteHeader {
  /** The meaning of the header, as one sentence without its full stop. */
  readonly summary: string;
  /** The schema of the text; any text unless given. */
  readonly json?: JsonSchema;
  /** A credential besides the one in `Authorization`. */
  readonly isCredential?: true;
}

/**
 * One route. Closed by default: `access` is required, and under `/v1` an undeclared parameter or body member is refused
 * by its name. A name that clients send without effect is declared and ignored. A part of the request without a schema
 * is `undefined` to the handler. The handler never sees the framework's own objects.
 */
export interface Route<P = undefined, Q = undefined, B = undefined> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/things/*entity_uri`: a colon names a segment, a star the undivided tail, accepted encoded and raw. */
  readonly path: string;
  /** One line for `--print` and the API description. */
  readonly summary: string;
  readonly access: Access;
  /**
   * `known`: a request with an `Origin` that is neither the node's own nor allowed by CORS is refused, also on a node
   * without keys. For protocols whose clients are programs, which no foreign page may use (DNS rebinding).
   */
  readonly origins?: 'known';
  /** Parameters of `WWW-Authenticate` in answers of 401, for example `resource_metadata="https://..."`. */
  readonly challenge?: string;
  /** The quota that a request uses up. */
  readonly dimension?: string;
  readonly params?: Schema<P>;
  readonly query?: Schema<Q>;
  readonly body?: Schema<B>;
  /**
   * The schema of the body in the API reference, or of each item with `bodyForm: 'items'`, in place of `body` and
   * `itemSchema`: for a handler that checks members itself. It checks nothing, and may refer to components.
   */
  readonly bodyShown?: JsonSchema;
  /** Headers that the handler reads, for the API reference, by their usual spelling. */
  readonly headers?: Readonly<Record<string, RouteHeader>>;
  /** An absent body is taken as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * `json` (default): one document, checked against `body`. `items`: a JSON array or `application/x-ndjson`, passed on
   * as `BodyItem[]`. Each item is checked against `itemSchema`, if there is one, and is an `error` when it is refused.
   * `none`: there is no body; a POST, PUT or PATCH without `body` must say so.
   */
  readonly bodyForm?: 'json' | 'items' | 'none';
  /** Of each item of a body with `bodyForm: 'items'`. */
  readonly itemSchema?: Schema<unknown>;
  /**
   * `standard`: the configured limit (2 MiB). `bulk`: 16 MiB. `small`: 64 KiB, for callers that are not authenticated
   * yet.
   */
  readonly bodyLimit?: 'standard' | 'bulk' | 'small';
  /**
   * Replies hold a secret, such as a key or a token, and are never compressed. The length of a compressed reply would
   * leak parts of the secret that a caller guesses in text beside it.
   */
  readonly holdsSecret?: true;
  /** The answers, by status; problem documents, which are common to all routes, are left out. */
  readonly answers: Answers;
  /** Every route of our own plugins has one. */
  readonly example?: RouteExample;
  handle(request: RouteRequest<P, Q, B>): Awaitable<Reply>;
}
