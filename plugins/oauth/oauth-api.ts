import { defineRef, type Principal } from '../../kernel/plugin-api.ts';
import type { Grant } from './grant-row.ts';

/** The document that tells remote clients how to get access (RFC 9728). */
export interface ClientAccess {
  /** The address of the document; undefined while the node gives no access. */
  readonly metadataUrl: string | undefined;
}

export const ClientAccess = defineRef<ClientAccess>('oauth.client-access');

/** Lists and ends grants: the access that people gave to remote clients. */
export interface GrantRegistry {
  /** Returns the grants of the caller, newest first; to an admin and to the node all of the tenant. */
  list(caller: Principal): Promise<readonly Grant[]>;
  /** Ends a grant at once, in every process. Rejects with `lookup` for an unknown one, and for one of others. */
  end(caller: Principal, id: string): Promise<void>;
}

export const GrantRegistry = defineRef<GrantRegistry>('oauth.grants');
