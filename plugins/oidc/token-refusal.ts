import { ServiceError } from '../../kernel/plugin-api.ts';
import { OIDC_DISABLED } from './oidc-words.ts';

/** The refusals of an id token. Clients rely on these texts, which contain no part of the token. */
export const tokenExpired = (): ServiceError => new ServiceError('authentication', 'id_token expired');
export const audienceMismatch = (): ServiceError => new ServiceError('authentication', 'audience mismatch');
export const invalidToken = (reason: string): ServiceError => new ServiceError('authentication', `invalid: ${reason}`);

/** The refusals of a node whose operator has switched the sign-in off, or has named no client for codes. */
export const signInIsOff = (): ServiceError =>
  new ServiceError(OIDC_DISABLED, 'this node takes no tokens of an identity provider', {
    hint: 'its operator switches them on with SVC_OIDC_ENABLED; otherwise use an API key',
  });
export const codesAreOff = (): ServiceError =>
  new ServiceError(OIDC_DISABLED, 'this node takes no codes of an identity provider', {
    hint: 'its operator names a client with SVC_OIDC_CLIENT_ID; otherwise send an id token',
  });
