import type { Scope } from './fact.ts';

/** The permissions of every node. No permission contains another one. Plugins declare further ones. */
export const CORE_PERMISSIONS = {
  read: 'read facts',
  write: 'assert facts',
  admin: 'administer the node and what others own on it',
} as const;
export type CorePermission = keyof typeof CORE_PERMISSIONS;

/** The kinds of callers of every node. Plugins declare further ones. */
export const CORE_PRINCIPAL_KINDS = {
  anonymous: 'nobody was asked for a credential',
  node: 'the node itself',
} as const;
export type CorePrincipalKind = keyof typeof CORE_PRINCIPAL_KINDS;

/** The caller of a request. */
export interface Principal {
  /** The kind of credential with which the caller was admitted, or its absence. */
  readonly kind: CorePrincipalKind | (string & Record<never, never>);
  /** The entity URI of the caller, as the author of facts and other actions. */
  readonly entityUri: string;
  /** The ids of the caller's permissions. */
  readonly permissions: ReadonlySet<string>;
  readonly allowedScopes: ReadonlySet<Scope>;
  readonly tenantId: string;
  /** The identifier of the API key in use; null for every other kind. */
  readonly keyId: string | null;
  /** The subject at the identity provider when the key came from an exchange. */
  readonly oidcSub: string | null;
  /** The person in whose name a program calls. Limits of requests, work and streams count both as one holder. */
  readonly onBehalfOf?: string | undefined;
}

/** The members of a principal that identify whose limits a request uses up. */
export type LimitHolder = Pick<Principal, 'tenantId' | 'entityUri' | 'onBehalfOf'>;

/** Returns the entity whose limits a caller uses up. All keys and programs of a person share them. */
export const limitedEntity = ({ entityUri, onBehalfOf }: LimitHolder): string => onBehalfOf ?? entityUri;

export const DEFAULT_TENANT = 'default';
