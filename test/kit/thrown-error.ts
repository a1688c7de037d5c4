import { ServiceError } from '../../ports/service-error.ts';

/** Returns the ServiceError that `work` throws. Fails if it throws nothing, or anything else. */
export const thrownError = (work: () => unknown): ServiceError => {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('expected a ServiceError, but nothing was thrown');
};
