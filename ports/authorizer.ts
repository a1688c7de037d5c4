import { defineRef } from './define-ref.ts';
import type { Principal } from './principal.ts';

/** Turns a credential into a principal. Authority beyond that is read off the principal, never asked here again. */
export interface Authorizer {
  /**
   * `token` is the bearer token as sent, or null when the request carries none. Returns the principal, or throws
   * `ServiceError('authentication')`: missing, malformed, unknown, expired and revoked credentials are not told apart
   * by timing or status. A revocation is honoured at once in the same process and within one second in any other. When
   * the credential cannot be checked (the store is out of reach) it throws `unavailable`; it never lets a request pass.
   */
  authenticate(token: string | null): Principal | Promise<Principal>;
}

export const Authorizer = defineRef<Authorizer>('port.authorizer');
