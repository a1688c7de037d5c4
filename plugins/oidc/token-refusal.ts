import { ServiceError } from '../../kernel/plugin-api.ts';

/** The refusals of an id token. Clients rely on these texts, which contain no part of the token. */
export const tokenExpired = (): ServiceError => new ServiceError('authentication', 'id_token expired');
export const audienceMismatch = (): ServiceError => new ServiceError('authentication', 'audience mismatch');
export const invalidToken = (reason: string): ServiceError => new ServiceError('authentication', `invalid: ${reason}`);
