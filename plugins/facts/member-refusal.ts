import { ServiceError } from '../../kernel/plugin-api.ts';

/** A body member that breaks a rule; the detail begins with its path, so that it reads as a sentence. */
export const memberRefusal = (path: string, problem: string): ServiceError =>
  new ServiceError('validation', `${path} ${problem}`, { violations: [{ path, message: problem }] });
