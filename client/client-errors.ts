/** A member of a request that was refused, and why. */
export interface ProblemMember {
  readonly path: string;
  readonly message: string;
}

export interface ErrorDetails {
  /** The status of the reply; 0 without one. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly ProblemMember[];
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  /** The body of the reply. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/**
 * A request that failed, and the base of all errors of the client. It never holds the key. `instanceof` distinguishes
 * the kinds; `code` is the protocol's error code.
 */
export class FactMemoryError extends Error {
  // Spelled out, because bundlers rename classes.
  override readonly name: string = 'FactMemoryError';
  /** The HTTP status; 0 without a reply. */
  readonly status: number;
  /** The error code, for example `validation`, `conflict`, `quota_exceeded`. */
  readonly code: string;
  /** The reason, in words for people. */
  readonly detail: string;
  /** The refused members; empty if the reply names none. */
  readonly errors: readonly ProblemMember[];
  /** Identifies the request in the log of the node. */
  readonly requestId: string | undefined;
  /** The seconds until the node accepts another try, if the reply contains them. */
  readonly retryAfter: number | undefined;
  /** The document of the reply, for example with `conflicting_fact_ids` of a conflict; undefined for any other body. */
  readonly body: unknown;

  constructor({ status, code, detail, errors = [], requestId, retryAfter, body, cause }: ErrorDetails) {
    super(`${detail} (${code}${status === 0 ? '' : `, status ${status}`})`, cause === undefined ? {} : { cause });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/** 401 and 403: the key is missing, unknown or expired, or lacks a right. */
export class AuthenticationError extends FactMemoryError {
  override readonly name = 'AuthenticationError';
}

/** 404: the object does not exist, or the caller may not see it. */
export class NotFoundError extends FactMemoryError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of the node prevents the request, for example a contradicting fact in strict mode. */
export class ConflictError extends FactMemoryError {
  override readonly name = 'ConflictError';
}

/**
 * No reply came: `code` is `connection` or `timeout`, and `status` is 0. `detail` names the address of the node. It is
 * unknown whether the node did the work.
 */
export class ConnectionError extends FactMemoryError {
  override readonly name = 'ConnectionError';
}

/** A reply that the protocol does not allow, for example from a proxy. Its text is not repeated. */
export class InvalidReplyError extends FactMemoryError {
  override readonly name = 'InvalidReplyError';
}

/** A proof or content id does not match its facts. */
export class IntegrityError extends FactMemoryError {
  override readonly name = 'IntegrityError';
}

/** A job of the node has failed. `body` is the job. */
export class JobFailedError extends FactMemoryError {
  override readonly name = 'JobFailedError';
}

/** The error for a reply whose status is not 2xx. */
export const errorFor = (details: ErrorDetails): FactMemoryError => {
  const { status } = details;
  if (status === 401 || status === 403) return new AuthenticationError(details);
  if (status === 404) return new NotFoundError(details);
  if (status === 409) return new ConflictError(details);
  return new FactMemoryError(details);
};
