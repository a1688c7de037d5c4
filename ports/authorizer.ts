import { defineRef } from './define-ref.ts';
import type { Principal } from './principal.ts';

/** Turns a credential into a principal, from which all further rights are read. */
export interface Authorizer {
  /**
   * `token` is the bearer token as sent, or null without one. Returns the principal, or throws
   * `ServiceError('authentication')`: timing and status are the same for missing, malformed, unknown, expired and
   * revoked credentials. A revocation takes effect at once in the same process and within one second in any other. When
   * the credential cannot be checked (the store is unreachable) it throws `unavailable`; it never lets a request pass.
   */
  authenticate(token: string | null): Principal | Promise<Principal>;
}

export const Authorizer = defineRef<Authorizer>('port.authorizer');
