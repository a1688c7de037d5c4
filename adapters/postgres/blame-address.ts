import { ServiceError } from '../../ports/ports.ts';

/** The setting of the address to which errors of a connection refer by default. */
const USUAL = 'SVC_DATABASE_URL';

/** Names another setting in an error about an address, instead of `SVC_DATABASE_URL`. */
export const blameAddress = (error: ServiceError, setting: string): ServiceError =>
  new ServiceError('unavailable', `${setting}: ${error.message}`, {
    hint: (error.hint ?? '').replaceAll(USUAL, setting),
    cause: error,
  });
