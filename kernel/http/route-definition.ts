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
  /** The path parameters, percent-decoded once. */
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Returns the first value of a header, by lower-case name. */
  header(name: string): string | undefined;
  readonly requestId: string;
  /** The path as sent, for cursors and links. */
  readonly path: string;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The body, serialised as JSON. A `SpelledList`, as the body or as a member of it, is serialised already. Absent for
   * 204.
   */
  readonly body?: unknown;
  /** The body as text, in place of `body`. `contentType` names its type (default `application/json`). */
  readonly text?: string | AsyncIterable<string>;
  readonly contentType?: string;
  /**
   * The body as bytes, in place of `body`. `contentType` names its type (default `application/octet-stream`). A stream
   * is read no faster than the client accepts it, and ended (`return`) when the client disconnects.
   */
  readonly bytes?: Uint8Array | AsyncIterable<Uint8Array>;
}

/** One item of a body with lines: the parsed JSON, or the error of that line. */
export type BodyItem = { readonly value: unknown } | { readonly error: ServiceError };

/**
 * A complete example request, which a test sends unchanged. The API reference, the clients and the manual show it.
 * Placeholders stand for values that only a running node has, such as the id of a fact; the test replaces them.
 */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** The body of the example; lines or a list of items when the form of the body is `items`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of the answer, one of the route's answers. Default: the lowest of them. */
  readonly status?: number;
}

/** A request header that a route reads. */
export interface RouteHeader {
  /** The meaning of the header, as one sentence without its full stop. */
  readonly summary: string;
  /** The schema of the text. Default: any text. */
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
  /**
   * The path pattern, for example `/v1/things/*entity_uri`. A colon names a segment, a star the undivided rest, which
   * may be percent-encoded or not.
   */
  readonly path: string;
  /** A one-line summary for `--print` and the API description. */
  readonly summary: string;
  readonly access: Access;
  /**
   * `known`: a request with an `Origin` that is neither the node's own nor allowed by CORS is refused, also on a node
   * without keys. For protocols whose clients are programs, which no foreign page may use (DNS rebinding).
   */
  readonly origins?: 'known';
  /** The parameters of `WWW-Authenticate` in answers of 401, for example `resource_metadata="https://..."`. */
  readonly challenge?: string;
  /** The quota that a request uses up. */
  readonly dimension?: string;
  /**
   * The number of rows that a request reads or writes at most, about. Requests of one person with more than 1,000 rows
   * in progress wait for one another. Default: the `limit` or `page_size` of the query or body, or the number of items,
   * or 1. So a route that reads more rows than it returns needs a cost, for example because it counts or walks. A route
   * that sends local requests has the cost 0, because it would wait for itself.
   */
  readonly cost?: number | ((asked: { readonly query: Q; readonly body: B }) => number);
  readonly params?: Schema<P>;
  readonly query?: Schema<Q>;
  readonly body?: Schema<B>;
  /**
   * The schema of the body in the API reference, or of each item with `bodyForm: 'items'`, in place of `body` and
   * `itemSchema`: for a handler that checks members itself. It checks nothing, and may refer to components.
   */
  readonly bodyShown?: JsonSchema;
  /** The headers that the handler reads, in their usual spelling, for the API reference. */
  readonly headers?: Readonly<Record<string, RouteHeader>>;
  /** Whether an absent body counts as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * `json` (default): one document, checked against `body`. `items`: a JSON array or `application/x-ndjson`, passed on
   * as `BodyItem[]`. Each item is checked against `itemSchema`, if there is one, and is an `error` when it is refused.
   * `form`: `application/x-www-form-urlencoded`, read like a query by the schema `body`: a text for each name, or a
   * list where the property is an array. `none`: there is no body; a POST, PUT or PATCH without `body` must say so.
   */
  readonly bodyForm?: 'json' | 'items' | 'form' | 'none';
  /** The schema of each item of a body with `bodyForm: 'items'`. */
  readonly itemSchema?: Schema<unknown>;
  /**
   * `standard`: the configured limit (2 MiB). `bulk`: 16 MiB. `small`: 64 KiB, for callers that are not authenticated
   * yet.
   */
  readonly bodyLimit?: 'standard' | 'bulk' | 'small';
  /**
   * Replies hold a secret, such as a key or a token, and are never compressed. The length of a compressed reply would
   * reveal whether text that a caller adds to the reply equals a part of the secret.
   */
  readonly holdsSecret?: true;
  /**
   * Also accepts the path with a slash at its end, for an address that people type into clients. Other routes refuse
   * that spelling, because a proxy's rule for the path would not cover it.
   */
  readonly slashAtEnd?: true;
  /** The answers by status, without problem documents, which all routes may return. */
  readonly answers: Answers;
  /** An example request. Every route of the package's own plugins has one. */
  readonly example?: RouteExample;
  handle(request: RouteRequest<P, Q, B>): Awaitable<Reply>;
}
