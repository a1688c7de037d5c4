import type { Scope } from './fact.ts';

/** Permissions that every node knows. None contains another one. Plugins declare further ones. */
export const CORE_PERMISSIONS = {
  read: 'read facts',
  write: 'assert facts',
  admin: 'administer the node and what others own on it',
} as const;
export type CorePermission = keyof typeof CORE_PERMISSIONS;

/** Kinds of callers that every node knows. Plugins declare further ones. */
export const CORE_PRINCIPAL_KINDS = {
  anonymous: 'nobody was asked for a credential',
  node: 'the node itself',
} as const;
export type CorePrincipalKind = keyof typeof CORE_PRINCIPAL_KINDS;

/** Who is asking. Requests carry a principal, never a container. */
export interface Principal {
  /** As what the caller was let in. */
  readonly kind: CorePrincipalKind | (string & Record<never, never>);
  /** Facts and everything else that the caller does are attributed to this URI. */
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
