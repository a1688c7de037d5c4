import { defineRef, type Principal } from '../../kernel/plugin-api.ts';
import type { Grant } from './grant-row.ts';

/** Locates the document that tells remote clients how to get access (RFC 9728). */
export interface ClientAccess {
  /** The address of the resource metadata document; undefined while OAuth is off. */
  readonly metadataUrl: string | undefined;
}

export const ClientAccess = defineRef<ClientAccess>('oauth.client-access');

/** Lists and ends grants: the access that people gave to remote clients. */
export interface GrantRegistry {
  /** Returns the caller's grants, newest first. An admin and the node itself get all grants of the tenant. */
  list(caller: Principal): Promise<readonly Grant[]>;
  /**
   * Ends a grant at once, in every process. Rejects with `lookup` for an unknown grant, and for a grant that the caller
   * may not end.
   */
  end(caller: Principal, id: string): Promise<void>;
}

export const GrantRegistry = defineRef<GrantRegistry>('oauth.grants');
