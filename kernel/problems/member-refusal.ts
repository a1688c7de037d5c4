import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../../ports/service-error.ts';

/**
 * Creates the refusal of a member that breaks a rule. `path` is that of a `Violation`. The detail begins with the path,
 * so that path and problem form a sentence.
 */
export const memberRefusal = (
  path: string,
  problem: string,
  code: ErrorCode = 'validation',
  options: Pick<ServiceErrorOptions, 'status' | 'hint'> = {},
): ServiceError =>
  new ServiceError(code, `${path} ${problem}`, { ...options, violations: [{ path, message: problem }] });
