import { type ErrorCode, type Principal, type Scope, ServiceError } from '../../ports/ports.ts';
import { permissionId, type RequiredPermission } from '../vocabulary/permissions.ts';

/**
 * Throws `refusal` unless the caller has the permission, or one of the list. Every use case begins with it, so that
 * HTTP, plugins and embedding programs have the same check. The node itself needs no permission.
 */
export const requirePermission = (
  caller: Principal,
  permission: RequiredPermission | readonly RequiredPermission[],
  refusal: ErrorCode = 'authorization',
): void => {
  if (caller.kind !== 'node' && !hasPermission(caller, permission)) throw lacksPermission(permission, refusal);
};

/** Returns whether the caller has the permission, or one of the list. */
export const hasPermission = (
  { permissions }: Principal,
  permission: RequiredPermission | readonly RequiredPermission[],
): boolean => {
  if (!isList(permission)) return permissions.has(permissionId(permission));
  for (const one of permission) if (permissions.has(permissionId(one))) return true;
  return false;
};

const isList = (asked: RequiredPermission | readonly RequiredPermission[]): asked is readonly RequiredPermission[] =>
  Array.isArray(asked);

/** Creates the refusal of a caller without the permission. */
export const lacksPermission = (
  permission: RequiredPermission | readonly RequiredPermission[],
  refusal: ErrorCode,
): ServiceError => {
  const names = [permission].flat().map((asked) => `"${permissionId(asked)}"`);
  return new ServiceError(refusal, `this needs a key with permission ${names.join(' or ')}`);
};

/** Throws `authorization` unless the caller may read facts of the scope. */
export const requireReadScope = (caller: Principal, scope: Scope): void => {
  if (!caller.allowedScopes.has(scope)) throw new ServiceError('authorization', `the key may not read scope ${scope}`);
};
