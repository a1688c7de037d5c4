import { type Authorizer, type Clock, type Principal, refusedCredential, sha256Hex } from '../../kernel/plugin-api.ts';
import { MAX_RAW_KEY_LENGTH } from './check-registration.ts';
import { KeyCache } from './key-cache.ts';
import type { StoredKey } from './key-row.ts';

export interface ApiKeyAuthorizer extends Authorizer {
  /** Forgets every key that was looked up: call it once a key has changed. */
  forget(): void;
}

export interface AuthorizerParts {
  readonly clock: Clock;
  findByDigest(digest: string): Promise<StoredKey | undefined>;
  /** Whom a key stands for. */
  principalOf(key: StoredKey): Principal;
}

interface Credential {
  readonly principal: Principal;
  readonly expiresMs: number | null;
}

/**
 * Checks API keys. A token is reduced to its digest before anything else, so that none is kept. Each key gives the same
 * principal object while it is cached, which lets the append path recognise a caller without comparing.
 */
export const createApiKeyAuthorizer = ({ clock, findByDigest, principalOf }: AuthorizerParts): ApiKeyAuthorizer => {
  const load = async (digest: string): Promise<Credential | undefined> => {
    const key = await findByDigest(digest);
    return key === undefined || key.revokedMs !== null
      ? undefined
      : { principal: principalOf(key), expiresMs: key.expiresMs };
  };
  const cache = new KeyCache(load, () => clock.monotonicMs());
  const admit = (credential: Credential | undefined): Principal => {
    if (credential === undefined) throw refusedCredential();
    // Asked at every use: the cache may outlast the key.
    if (credential.expiresMs !== null && credential.expiresMs <= clock.nowMs()) throw refusedCredential();
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
