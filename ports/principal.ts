import type { Scope } from './fact.ts';

/** Specification, "API key record", plus `instruction:write` of the wire contract (section 2.2). The set is flat. */
export const PERMISSIONS = ['read', 'write', 'federate', 'admin', 'audit.read', 'instruction:write'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Who is asking. Requests carry a principal, never a container. */
export interface Principal {
  /** `key`: an API key; `peer`: a peer token; `anonymous`: authentication is off; `node`: the node itself. */
  readonly kind: 'key' | 'peer' | 'anonymous' | 'node';
  /** Facts, audit rows, quotas and key lists are attributed to this URI. */
  readonly entityUri: string;
  /** Ids of permissions. */
  readonly permissions: ReadonlySet<string>;
  readonly allowedScopes: ReadonlySet<Scope>;
  readonly tenantId: string;
  /** Identifier of the API key in use, null for every other kind. */
  readonly keyId: string | null;
  /** Subject at the identity provider when the key came from an exchange. */
  readonly oidcSub: string | null;
}

export const DEFAULT_TENANT = 'default';
