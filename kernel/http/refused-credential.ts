import { ServiceError } from '../../ports/service-error.ts';

/**
 * The refusal of a credential that is missing, malformed, unknown, expired or revoked. One text for every reason, so
 * that the answer does not tell them apart.
 */
export const refusedCredential = (): ServiceError =>
  new ServiceError(
    'authentication',
    'a valid credential is required: send one header "Authorization: Bearer <key>" with a key that is neither expired nor revoked',
  );
