import { ServiceError } from '../../ports/ports.ts';

/** Failures to connect, after which the node has not got the request. */
const UNSENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Returns true when the node may have done what a request asked for: its reply was lost, or said that the end of the
 * write is unknown. A secret that the command drew may be in use then.
 */
export const mayBeDone = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  error.status >= 500 &&
  !UNSENT.has((error.cause as NodeJS.ErrnoException | undefined)?.code);

/** Returns true when a command on the store itself has not heard whether its write was committed. */
export const isCommitUnknown = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'commit_unknown';

/** Returns the error of such a failure: `what` may be done, and `hint` says how to find out and go on. */
export const unknownEnd = (cause: ServiceError, what: string, hint: string): ServiceError =>
  new ServiceError('unavailable', `${what}: ${cause.message}`, { hint, cause });
