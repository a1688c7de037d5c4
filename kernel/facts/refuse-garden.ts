import { type Principal, type Scope, ServiceError } from '../../ports/ports.ts';
import type { EnteredGarden } from './garden-access.ts';
import { memberRefusal } from './member-refusal.ts';

/**
 * The answer to a garden that was named but cannot be entered (wire contract 4.2 and 4.7). A garden that does not exist
 * and one that the caller is no member of are the same to everybody but an admin. Without a plugin that knows gardens,
 * every garden is such a one.
 */
export const refuseGarden = (caller: Principal): ServiceError =>
  caller.permissions.has('admin')
    ? new ServiceError('lookup', 'there is no such garden')
    : new ServiceError('authorization', 'the key has no access to this garden');

/**
 * Why a caller who may enter a garden cannot store a fact of this scope in it, or null. An admin key may write to every
 * garden that there still is. `path` names the body.
 */
export const refuseGardenWrite = (
  { scope, mayWrite }: EnteredGarden,
  of: Scope,
  caller: Principal,
  path: string,
): ServiceError | null => {
  if (!mayWrite) {
    return caller.permissions.has('admin')
      ? refuseGarden(caller)
      : new ServiceError('authorization', 'the key may read this garden but not write to it');
  }
  return scope === of ? null : memberRefusal(`${path}.scope`, 'must be the scope of the garden');
};
