import { STATUS_CODES } from 'node:http';
import { maskKeys, maskPath } from '../../ports/mask-keys.ts';
import { type OutboundReply, ServiceError, type Violation } from '../../ports/ports.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import type { Logger } from '../log/logger.ts';
import { listOf, objectOf, STRING_JSON } from '../schemas/answer-schemas.ts';
import { defineComponent } from '../vocabulary/components.ts';

/** The problem document of RFC 9457, the body of every answer from status 400 (docs/reference/errors.md). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** The explanation. It is always a string, because existing clients print it. */
  readonly detail: string;
  readonly code: string;
  readonly instance?: string;
  readonly request_id?: string;
  /** The violations, only for 400 and 422. They name members, never their values. */
  readonly errors?: readonly Violation[];
  readonly [member: string]: unknown;
}

/** The schema of `Problem`. A code may add members of its own. */
export const PROBLEM = defineComponent('Problem', {
  summary: 'why a request failed',
  json: {
    ...objectOf(
      {
        type: { type: 'string', pattern: '^urn:' },
        title: STRING_JSON,
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: STRING_JSON,
        code: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
        instance: STRING_JSON,
        request_id: STRING_JSON,
        errors: listOf(objectOf({ path: STRING_JSON, message: STRING_JSON })),
        hint: STRING_JSON,
      },
      { optional: ['instance', 'request_id', 'errors', 'hint'] },
    ),
    additionalProperties: true,
  },
});

export interface ProblemContext {
  readonly names: ServiceNames;
  /** The request id. Like `instance`, it is absent in the problem of one item of a batch. */
  readonly requestId?: string;
  /** The path of the request as sent. The document masks possible keys in it. */
  readonly instance?: string;
}

/**
 * The problem document of an error. Any error that is no `ServiceError` is a bug, and its text stays secret. Keys in
 * the path or in a name are masked.
 */
export const problemOf = (error: unknown, { names, requestId, instance }: ProblemContext): Problem => {
  const { status, code, message, violations, hint, members } = operatingError(error);
  const namesMembers = status === 400 || status === 422;
  return {
    ...members,
    type: names.problemType(code),
    title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
    status,
    detail: maskKeys(message),
    code,
    ...(instance !== undefined && { instance: maskPath(instance) }),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(namesMembers && violations !== undefined && { errors: violations.map(maskViolation) }),
    // Hides the hint of a failed resource, which is for the operator and may contain paths and addresses.
    ...(hint !== undefined && status < 500 && { hint: maskKeys(hint) }),
  };
};

const maskViolation = ({ path, message }: Violation): Violation => ({
  path: maskKeys(path),
  message: maskKeys(message),
});

export interface ErrorReplyContext extends ProblemContext {
  readonly requestId: string;
  readonly log: Logger;
  /** The headers of the answer that were known at the time of the error. */
  readonly headers: Readonly<Record<string, string>>;
  /** The method and pattern of the route, for the log. */
  readonly route: string | null;
  /** The parameters of `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
  /** The header `Authorization` of the request. */
  readonly authorization?: string | undefined;
}

/** Returns the answer to a failed request. Logs bugs and failed resources with the request id, but no refusals. */
export const errorReply = (error: unknown, context: ErrorReplyContext): OutboundReply => {
  const { log, requestId, route, challenge } = context;
  const operating = operatingError(error);
  if (operating === INTERNAL) log.error('request failed', { requestId, route, error });
  else if (operating.status >= 500) log.warn('request could not be served', { requestId, route, error });
  return {
    status: operating.status,
    headers: {
      ...context.headers,
      ...(operating.status === 401 && {
        'WWW-Authenticate': challenge === undefined ? 'Bearer' : `Bearer ${challenge}`,
      }),
      ...operating.headers,
      'Content-Type': 'application/problem+json',
    },
    body: withoutCredential(JSON.stringify(problemOf(operating, context)), context.authorization),
  };
};

/**
 * Removes the caller's credential, because the caller may repeat it elsewhere in the request. `maskKeys` would miss a
 * first key that an operator chose, which may be short or a plain word.
 */
const withoutCredential = (text: string, authorization = ''): string => {
  const token = TOKEN.exec(authorization)?.[0];
  return token === undefined ? text : text.replaceAll(JSON.stringify(token).slice(1, -1), '***');
};

/** A shorter text is no key, and may occur in any reply. */
const TOKEN = /(?<= )[^ ]{16,}$/;

const INTERNAL = new ServiceError('internal', 'the node failed to answer; its log has the cause under the request id');

const operatingError = (error: unknown): ServiceError =>
  isServiceError(error) && error.code !== 'internal' ? error : INTERNAL;

/** Checks the shape of an error, because a foreign plugin may bring its own copy of the class. */
const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof ServiceError ||
  (error instanceof Error &&
    error.name === 'ServiceError' &&
    typeof (error as Partial<ServiceError>).code === 'string' &&
    typeof (error as Partial<ServiceError>).status === 'number');

/** Titles of RFC 9110, where Node still uses older ones. */
const TITLES: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };
