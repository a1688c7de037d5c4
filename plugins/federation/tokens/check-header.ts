import { memberOf, type TokenMembers } from './read-token.ts';

/**
 * Header members by which a token could supply its own key, refer to a key by address, change how it is read, or
 * require an extension. This node refuses all of them.
 */
const REFUSED = ['jwk', 'jku', 'x5u', 'x5c', 'x5t', 'x5t#S256', 'crit', 'b64', 'enc', 'zip'] as const;

/**
 * Returns true if a token with this header may be verified. The key always comes from the peer's record, so `kid` may
 * only repeat the id of one of those keys.
 */
export const isHeaderSound = (header: TokenMembers, keyIds: readonly string[]): boolean => {
  if (memberOf(header, 'alg') !== 'EdDSA') return false;
  if (REFUSED.some((name) => Object.hasOwn(header, name))) return false;
  const type = memberOf(header, 'typ');
  if (type !== undefined && type !== 'JWT') return false;
  const keyId = memberOf(header, 'kid');
  return keyId === undefined || (typeof keyId === 'string' && keyIds.includes(keyId));
};
