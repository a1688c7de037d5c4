import { ServiceError } from '../../kernel/plugin-api.ts';

/**
 * Why an id token gives no key. The texts are part of the interface: clients read them. Nothing of the token is told.
 */
export const tokenExpired = (): ServiceError => new ServiceError('authentication', 'id_token expired');
export const audienceMismatch = (): ServiceError => new ServiceError('authentication', 'audience mismatch');
export const invalidToken = (reason: string): ServiceError => new ServiceError('authentication', `invalid: ${reason}`);
