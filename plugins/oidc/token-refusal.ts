import { ServiceError } from '../../kernel/plugin-api.ts';

/** The refusals of an id token. Clients depend on the texts. They contain nothing of the token. */
export const tokenExpired = (): ServiceError => new ServiceError('authentication', 'id_token expired');
export const audienceMismatch = (): ServiceError => new ServiceError('authentication', 'audience mismatch');
export const invalidToken = (reason: string): ServiceError => new ServiceError('authentication', `invalid: ${reason}`);
