import { ServiceError } from '../../ports/service-error.ts';

/**
 * Creates the refusal of a credential that is missing, malformed, unknown, expired or revoked. The text is the same for
 * every reason, so that the answer does not reveal it.
 */
export const refusedCredential = (): ServiceError =>
  new ServiceError('authentication', 'a valid credential is required', {
    hint: 'send one header "Authorization: Bearer <key>" with a key that is neither expired nor revoked',
  });
