import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../../ports/service-error.ts';

/**
 * A member of a request that breaks a rule. `path` is that of a `Violation`; the detail begins with it, so that path
 * and problem read as one sentence.
 */
export const memberRefusal = (
  path: string,
  problem: string,
  code: ErrorCode = 'validation',
  options: Pick<ServiceErrorOptions, 'status' | 'hint'> = {},
): ServiceError =>
  new ServiceError(code, `${path} ${problem}`, { ...options, violations: [{ path, message: problem }] });
