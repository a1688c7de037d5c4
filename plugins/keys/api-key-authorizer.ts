import { refusedCredential } from '../../kernel/internal-api.ts';
import { type Authorizer, type Clock, type Principal, ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { Standing } from '../multi-tenant/multi-tenant-api.ts';
import { MAX_RAW_KEY_LENGTH } from './check-registration.ts';
import { KeyCache } from './key-cache.ts';
import type { StoredKey } from './key-row.ts';

export interface ApiKeyAuthorizer extends Authorizer {
  /** Clears the cache. Called after each change of a key. */
  forget(): void;
}

export interface AuthorizerParts {
  readonly clock: Clock;
  /** Called for each look-up. `wasKept` is true if the key was cached. */
  looked(wasKept: boolean): void;
  findByDigest(digest: string): Promise<StoredKey | undefined>;
  /** Called for each admitted request. */
  used(key: StoredKey): void;
  principalOf(key: StoredKey): Principal;
  standingOf(tenantId: string): Standing;
}

interface Credential {
  readonly key: StoredKey;
  readonly principal: Principal;
}

/**
 * Checks API keys. It reduces a token to its digest first, so that it keeps no token. A cached key always gives the
 * same principal object, so the append path recognises a caller without comparing.
 */
export const createApiKeyAuthorizer = (parts: AuthorizerParts): ApiKeyAuthorizer => {
  const { clock, findByDigest, principalOf, standingOf } = parts;
  const load = async (digest: string): Promise<Credential | undefined> => {
    const key = await findByDigest(digest);
    return key === undefined || key.revokedMs !== null ? undefined : { key, principal: principalOf(key) };
  };
  const cache = new KeyCache(
    load,
    () => clock.monotonicMs(),
    (wasKept) => parts.looked(wasKept),
  );
  const admit = (credential: Credential | undefined): Principal => {
    if (credential === undefined) throw refusedCredential();
    // The expiry is checked at every use, because the key may expire while it is cached.
    const { expiresMs } = credential.key;
    if (expiresMs !== null && expiresMs <= clock.nowMs()) throw refusedCredential();
    const standing = standingOf(credential.principal.tenantId);
    if (standing === 'erased') throw refusedCredential();
    if (standing === 'suspended') throw suspended();
    parts.used(credential.key);
    return credential.principal;
  };
  return {
    authenticate(token) {
      if (token === null || token === '' || token.length > MAX_RAW_KEY_LENGTH) throw refusedCredential();
      const found = cache.get(sha256Hex(token));
      return found instanceof Promise ? found.then(admit) : admit(found);
    },
    forget: () => cache.clear(),
  };
};

/**
 * Returns the refusal of a suspended tenant's key. It names the suspension, because the holder of a valid key may know.
 */
const suspended = (): ServiceError =>
  new ServiceError('authorization', 'the tenant of this key is suspended: ask the operator of the node');
