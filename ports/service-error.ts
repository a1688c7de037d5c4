/**
 * An operating error: something a caller or an operator did, or a resource that failed. Everything else that is
 * thrown is a bug and becomes a 500 with nothing leaked. Codes and statuses are those of the wire contract, 1.8.
 */
export const ERROR_STATUS = {
  malformed_json: 400,
  invalid_cursor: 400,
  cursor_expired: 400,
  invalid_weights: 400,
  bad_parameter: 400,
  recall_depth_exceeded: 400,
  graph_depth_exceeded: 400,
  cid_malformed: 400,
  as_of_invalid_timestamp: 400,
  as_of_future: 400,
  session_id_too_long: 400,
  authentication: 401,
  authorization: 403,
  reserved_namespace: 403,
  instruction_write_required: 403,
  instruction_scope_denied: 403,
  feedback_loop_provenance_required: 403,
  source_attestation_failed: 403,
  capability_required: 403,
  capability_invalid: 403,
  federation_disabled: 403,
  scope_not_permitted: 403,
  no_permitted_scopes: 403,
  last_admin: 403,
  lookup: 404,
  manifest_not_found: 404,
  event_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  already_resolved: 409,
  limit_reached: 409,
  cid_mismatch: 409,
  fact_chain_mismatch: 409,
  manifest_version_conflict: 409,
  idempotency_in_progress: 409,
  stale_declaration: 409,
  key_mismatch: 409,
  quarantine_has_pending_facts: 409,
  fact_not_quarantine_pending: 409,
  too_large: 413,
  value_too_large: 413,
  batch_too_large: 413,
  unsupported_media_type: 415,
  validation: 422,
  invalid_entity_uri: 422,
  invalid_token_budget: 422,
  idempotency_mismatch: 422,
  attestation_required: 422,
  attestation_invalid: 422,
  provenance_cycle_detected: 422,
  webhook_url_forbidden: 422,
  invalid_signature: 422,
  declaration_expired: 422,
  manifest_entry_invalid: 422,
  guarantee_cap_exceeded: 422,
  manifest_too_large: 422,
  manifest_coverage_failure: 422,
  audit_token_invalid: 422,
  audit_token_expired: 422,
  tombstone_invalid_scope: 422,
  tombstone_entity_uri_invalid: 422,
  quota_exceeded: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  commit_unknown: 503,
} as const;

export type CoreErrorCode = keyof typeof ERROR_STATUS;

/** What an error is thrown with: a code that every node knows, or one that a plugin declares with `defineErrorCode`. */
export type ErrorCode = CoreErrorCode | DeclaredErrorCode;

export interface DeclaredErrorCode {
  readonly id: string;
  readonly status: number;
}

/** Names the member that was wrong, never its value. `path` reads `body.value.v`, `query.limit`, `body[2].scope`. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

export interface ServiceErrorOptions {
  /** Replaces the code's own status, for example a schema violation in a query (400 instead of 422). */
  readonly status?: number;
  /** What the operator or caller can do about it. */
  readonly hint?: string;
  readonly violations?: readonly Violation[];
  /** Members added to the problem document, for example `conflicting_fact_ids`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers added to the answer, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

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
    this.headers = options.headers ?? {};
  }
}

const coreError = (code: CoreErrorCode): DeclaredErrorCode => {
  if (!Object.hasOwn(ERROR_STATUS, code)) {
    throw new TypeError(`${JSON.stringify(code)} is no error code of the node: declare it with defineErrorCode`);
  }
  return { id: code === 'bad_parameter' ? 'validation' : code, status: ERROR_STATUS[code] };
};
