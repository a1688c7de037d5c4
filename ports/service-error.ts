/** The error codes of the kernel, the ports and the adapters. Plugins declare further ones. */
export const CORE_ERRORS = {
  malformed_json: { status: 400, summary: 'the body is no JSON that the node reads' },
  invalid_cursor: { status: 400, summary: 'the cursor is not one that the node gave for this list' },
  cursor_expired: { status: 400, summary: 'the cursor is too old: begin again without one' },
  session_id_too_long: { status: 400, summary: 'the name of the session is too long' },
  authentication: { status: 401, summary: 'the credential is missing or not valid' },
  authorization: { status: 403, summary: 'the caller may not do this' },
  reserved_namespace: { status: 403, summary: 'the name belongs to the node itself' },
  lookup: { status: 404, summary: 'there is no such thing, or none that the caller may see' },
  method_not_allowed: { status: 405, summary: 'the path does not take this method' },
  conflict: { status: 409, summary: 'the stored state does not allow the request' },
  limit_reached: { status: 409, summary: 'the caller has as many of these as it may have' },
  too_large: { status: 413, summary: 'the body is larger, or has more members, than the route takes' },
  value_too_large: { status: 413, summary: 'the value of the fact is larger than a fact takes' },
  batch_too_large: { status: 413, summary: 'the list has more items than the route takes' },
  unsupported_media_type: { status: 415, summary: 'the body has a type that the route does not take' },
  validation: { status: 422, summary: 'a member or parameter breaks a rule; `errors` names it' },
  hlc_skew: { status: 422, summary: 'the stamp lies too far ahead of the clock of this node' },
  invalid_entity_uri: { status: 422, summary: 'an entity or source is no URI' },
  idempotency_mismatch: { status: 422, summary: 'the idempotency key was used for another request' },
  quota_exceeded: {
    status: 429,
    summary: 'the caller has used up what it may do for now; `retry_after` says when to try again',
  },
  headers_too_large: { status: 431, summary: 'the headers are larger than the node takes' },
  internal: { status: 500, summary: 'the node failed; its log has the cause under the request id' },
  unavailable: { status: 503, summary: 'the node or something that it needs cannot serve now' },
  commit_unknown: { status: 503, summary: 'the store does not say whether it kept the write: look, or send it again' },
  /** The error code `validation` in a query or path, with another status. */
  bad_parameter: { status: 400, summary: 'a parameter breaks a rule' },
} as const;

export type CoreErrorCode = keyof typeof CORE_ERRORS;

/** An error code: one of every node, or one that a plugin declares with `defineErrorCode`. */
export type ErrorCode = CoreErrorCode | DeclaredErrorCode;

export interface DeclaredErrorCode {
  readonly id: string;
  readonly status: number;
}

/**
 * A broken rule. It names the wrong member, never its value. `path` reads `body.value.v`, `query.limit`,
 * `body[2].scope`.
 */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

export interface ServiceErrorOptions {
  /** Replaces the code's own status, for example a schema violation in a query (400 instead of 422). */
  readonly status?: number;
  /** Advice for the operator or caller. */
  readonly hint?: string;
  readonly violations?: readonly Violation[];
  /** Members added to the problem document, for example `retry_after_seconds`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers added to the answer, for example `Retry-After`, which is 1 for the status 503 by default. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * An operating error: a mistake of a caller or an operator, or a resource that failed. Any other thrown error is a bug
 * and becomes a 500 that reveals nothing.
 */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  readonly violations: readonly Violation[] | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    const { id, status } = typeof code === 'string' ? coreError(code) : code;
    this.code = id;
    this.status = options.status ?? status;
    this.hint = options.hint;
    this.violations = options.violations;
    this.members = options.members ?? {};
    this.headers = { ...(this.status === 503 && RETRY_SOON), ...options.headers };
  }
}

/** Every 503 says when to try again. Most causes pass within a second or need an operator. */
const RETRY_SOON = { 'Retry-After': '1' };

const coreError = (code: CoreErrorCode): DeclaredErrorCode => {
  if (!Object.hasOwn(CORE_ERRORS, code)) {
    throw new TypeError(`${JSON.stringify(code)} is no error code of the node: declare it with defineErrorCode`);
  }
  return { id: code === 'bad_parameter' ? 'validation' : code, status: CORE_ERRORS[code].status };
};
