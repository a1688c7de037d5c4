/** A member of a request that was refused, and why. */
export interface ProblemMember {
  readonly path: string;
  readonly message: string;
}

export interface ErrorDetails {
  /** Of the reply; 0 where there was none. */
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
 * A request that failed, and the base of all errors of the client. It never holds the key. `instanceof` tells the kinds
 * apart; `code` is the protocol's error code.
 */
export class FactMemoryError extends Error {
  // Spelled out, because bundlers rename classes.
  override readonly name: string = 'FactMemoryError';
  /** HTTP status; 0 where no reply came. */
  readonly status: number;
  /** For example `validation`, `conflict`, `quota_exceeded`. */
  readonly code: string;
  /** The reason, for people. */
  readonly detail: string;
  /** The members that were refused; empty where the reply names none. */
  readonly errors: readonly ProblemMember[];
  /** By which the log of the node knows the request. */
  readonly requestId: string | undefined;
  /** Seconds after which the node takes a further try, where it says so. */
  readonly retryAfter: number | undefined;
  /** The document of the reply, for example with `conflicting_fact_ids` of a conflict; undefined where it was none. */
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

/** 401 and 403: the key is missing, unknown or expired, or it does not allow this. */
export class AuthenticationError extends FactMemoryError {
  override readonly name = 'AuthenticationError';
}

/** 404: there is no such thing, or the caller may not see it. */
export class NotFoundError extends FactMemoryError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of the node does not allow it, for example a contradicting fact in strict mode. */
export class ConflictError extends FactMemoryError {
  override readonly name = 'ConflictError';
}

/**
 * No reply came: `code` is `connection` or `timeout`, and `status` is 0. Whether the node did the work is not known.
 */
export class ConnectionError extends FactMemoryError {
  override readonly name = 'ConnectionError';
}

/** A reply came that the protocol does not allow, for example from a proxy. Its text is not repeated. */
export class InvalidReplyError extends FactMemoryError {
  override readonly name = 'InvalidReplyError';
}

/** A proof or content id does not fit what it stands for. */
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
