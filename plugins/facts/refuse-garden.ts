import { type Principal, ServiceError } from '../../kernel/plugin-api.ts';

/**
 * The answer to a garden that was named but cannot be entered (wire contract 4.2 and 4.7). A garden that does not exist and one that
 * the caller is no member of are the same to everybody but an admin. No plugin resolves garden names in this build, so every garden
 * is such a one.
 */
export const refuseGarden = (caller: Principal): ServiceError =>
  caller.permissions.has('admin')
    ? new ServiceError('lookup', 'there is no such garden')
    : new ServiceError('authorization', 'the key has no access to this garden');
