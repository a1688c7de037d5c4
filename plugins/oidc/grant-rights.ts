import { ServiceError } from '../../kernel/plugin-api.ts';
import { type JsonObject, memberOf } from './fetch-document.ts';

const RIGHTS_OF_ROLE: Readonly<Record<Role, readonly string[]>> = {
  admin: ['read', 'write', 'admin'],
  writer: ['read', 'write'],
  reader: ['read'],
};

/** The permissions of a person who requests none. */
export const DEFAULT_PERMISSIONS: readonly string[] = ['read', 'write'];

export type Role = 'admin' | 'writer' | 'reader';

/**
 * Returns the roles in a claim, which is a text or a list. Ignores unknown words. Without any role the result is
 * reader.
 */
export const rolesOf = (claims: JsonObject, roleClaim: string): readonly Role[] => {
  const named = new Set<unknown>([memberOf(claims, roleClaim)].flat());
  const roles = (Object.keys(RIGHTS_OF_ROLE) as Role[]).filter((role) => named.has(role));
  return roles.length === 0 ? ['reader'] : roles;
};

/** Returns the requested permissions that these roles grant. Throws `authorization` if none is left. */
export const permissionsFor = (roles: readonly Role[], asked: readonly string[]): readonly string[] => {
  const given = new Set(roles.flatMap((role) => RIGHTS_OF_ROLE[role]));
  const permissions = [...given].filter((permission) => asked.includes(permission));
  if (permissions.length > 0) return permissions;
  throw new ServiceError('authorization', 'the roles of the id_token give none of the permissions', {
    hint: `leave "permissions" out, or ask for some of: ${[...given].join(', ')}`,
  });
};

/** Throws `authorization` unless the token has a verified e-mail address in one of the domains. */
export const requireDomain = (claims: JsonObject, domains: readonly string[]): void => {
  if (domains.length === 0) return;
  const email = memberOf(claims, 'email');
  const verified = memberOf(claims, 'email_verified');
  // Some providers send the boolean as a text.
  const isVerified = verified === true || verified === 'true';
  if (typeof email !== 'string' || !isVerified) {
    throw new ServiceError('authorization', 'the id_token has no verified e-mail address');
  }
  const domain = EMAIL.exec(email)?.[1]?.toLowerCase();
  const isAllowed = domains.some((allowed) => allowed.toLowerCase() === domain);
  if (!isAllowed) throw new ServiceError('authorization', 'the domain of the e-mail address is not allowed');
};

/** Matches one e-mail address in ASCII. Other letters could look like ASCII letters. */
const EMAIL = /^[\x21-\x2b\x2d-\x3f\x41-\x7e]{1,128}@([a-z0-9.-]{1,253})$/i;
