import type { Scope } from './fact.ts';

/** Permissions of every node. No permission contains another one. Plugins declare further ones. */
export const CORE_PERMISSIONS = {
  read: 'read facts',
  write: 'assert facts',
  admin: 'administer the node and what others own on it',
} as const;
export type CorePermission = keyof typeof CORE_PERMISSIONS;

/** Kinds of callers of every node. Plugins declare further ones. */
export const CORE_PRINCIPAL_KINDS = {
  anonymous: 'nobody was asked for a credential',
  node: 'the node itself',
} as const;
export type CorePrincipalKind = keyof typeof CORE_PRINCIPAL_KINDS;

/** The caller of a request. Requests carry a principal, never a container. */
export interface Principal {
  /** The kind of credential, or its absence, by which the caller was admitted. */
  readonly kind: CorePrincipalKind | (string & Record<never, never>);
  /** The author of facts and other actions of the caller. */
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
