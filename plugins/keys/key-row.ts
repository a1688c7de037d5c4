import { numberOrNull, openRow, sealRow, textOrNull } from '../../kernel/internal-api.ts';
import {
  DEFAULT_TENANT,
  formatInstant,
  type Principal,
  type Row,
  SCOPES,
  type Scope,
  type SealedColumns,
  type SqlValue,
} from '../../kernel/plugin-api.ts';
import type { KeyRecord } from './keys-api.ts';
import { API_KEYS_TABLE } from './keys-migrations.ts';
import { KEY_PRINCIPAL } from './keys-words.ts';

export const SEALED = {
  table: API_KEYS_TABLE,
  key: ['tenant_id', 'id'],
  columns: [],
  plain: ['id', 'tenant_id', 'entity_uri', 'permissions', 'allowed_scopes', 'expires_ms', 'revoked_ms', 'oidc_sub'],
} as const satisfies SealedColumns;

export interface StoredKey {
  readonly id: string;
  readonly entityUri: string;
  /** Sorted. May contain permissions that no plugin declares. */
  readonly permissions: readonly string[];
  /** In the order of `SCOPES`. */
  readonly allowedScopes: readonly Scope[];
  readonly description: string | null;
  readonly createdMs: number;
  /** The expiry as the caller sent it. `expiresMs` is the same instant. */
  readonly expiresAt: string | null;
  readonly expiresMs: number | null;
  readonly revokedMs: number | null;
  readonly oidcSub: string | null;
  /** Program or device that received the key in an exchange. */
  readonly client: string | null;
  readonly tenantId: string;
}

/** Returns the columns of a key, except the digest, which only its insertion sets. */
export const rowOfKey = (key: StoredKey): Row =>
  sealRow(SEALED, {
    id: key.id,
    entity_uri: key.entityUri,
    permissions: key.permissions.join(','),
    allowed_scopes: key.allowedScopes.join(','),
    description: key.description,
    created_ms: key.createdMs,
    expires_at: key.expiresAt,
    expires_ms: key.expiresMs,
    revoked_ms: key.revokedMs,
    oidc_sub: key.oidcSub,
    client: key.client,
    tenant_id: key.tenantId,
  });

/** Throws `DamagedRow` if a column that decides about rights has changed. */
export const keyFromRow = (stored: Readonly<Record<string, SqlValue>>): StoredKey => {
  const row = openRow(SEALED, stored);
  return {
    id: String(row['id']),
    entityUri: String(row['entity_uri']),
    permissions: String(row['permissions']).split(','),
    allowedScopes: String(row['allowed_scopes']).split(',') as Scope[],
    description: textOrNull(row['description']),
    createdMs: Number(row['created_ms']),
    expiresAt: textOrNull(row['expires_at']),
    expiresMs: numberOrNull(row['expires_ms']),
    revokedMs: numberOrNull(row['revoked_ms']),
    oidcSub: textOrNull(row['oidc_sub']),
    client: textOrNull(row['client']),
    tenantId: textOrNull(row['tenant_id']) ?? DEFAULT_TENANT,
  };
};

export const recordOf = (key: StoredKey, lastUsedMs?: number): KeyRecord => ({
  id: key.id,
  entityUri: key.entityUri,
  permissions: key.permissions,
  allowedScopes: key.allowedScopes,
  description: key.description,
  createdAt: formatInstant(key.createdMs),
  expiresAt: key.expiresAt,
  tenantId: key.tenantId,
  oidcSub: key.oidcSub,
  revokedAt: key.revokedMs === null ? null : formatInstant(key.revokedMs),
  lastUsedAt: lastUsedMs === undefined ? null : formatInstant(lastUsedMs),
});

/** Returns the caller of a key, without permissions that are no longer declared. */
export const principalOf = (key: StoredKey, tenantId: string, declared: ReadonlySet<string>): Principal =>
  Object.freeze<Principal>({
    kind: KEY_PRINCIPAL.id,
    entityUri: key.entityUri,
    permissions: new Set(key.permissions.filter((permission) => declared.has(permission))),
    allowedScopes: new Set(key.allowedScopes),
    tenantId,
    keyId: key.id,
    oidcSub: key.oidcSub,
  });

/** Returns each permission once, sorted. */
export const sortedPermissions = (permissions: Iterable<string>): string[] => [...new Set(permissions)].sort();

/** Returns the scopes in the order of `SCOPES`. */
export const orderedScopes = (scopes: ReadonlySet<Scope>): Scope[] => SCOPES.filter((scope) => scopes.has(scope));
