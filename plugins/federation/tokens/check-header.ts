import { memberOf, type TokenMembers } from './read-token.ts';

/**
 * Members by which a token would bring a key of its own, name an address to fetch one from, change how it is read, or
 * ask for an extension. None is understood, so none may be there.
 */
const REFUSED = ['jwk', 'jku', 'x5u', 'x5c', 'x5t', 'x5t#S256', 'crit', 'b64', 'enc', 'zip'] as const;

/**
 * Whether a token with this header may be verified at all. Its key always comes from the record of the peer: `kid` may
 * repeat the id of one of its keys, and never says where to look.
 */
export const isHeaderSound = (header: TokenMembers, keyIds: readonly string[]): boolean => {
  if (memberOf(header, 'alg') !== 'EdDSA') return false;
  if (REFUSED.some((name) => Object.hasOwn(header, name))) return false;
  const type = memberOf(header, 'typ');
  if (type !== undefined && type !== 'JWT') return false;
  const keyId = memberOf(header, 'kid');
  return keyId === undefined || (typeof keyId === 'string' && keyIds.includes(keyId));
};
