import { defineRef } from '../../kernel/plugin-api.ts';

/** Where the node says how its callers get a credential (RFC 9728). */
export interface ResourceMetadata {
  /** Undefined while no identity provider vouches for callers. */
  readonly url: string | undefined;
}

export const ResourceMetadata = defineRef<ResourceMetadata>('oidc.resource-metadata');
