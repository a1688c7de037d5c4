import { column, defineRow, openRow, sealRow } from '../../kernel/internal-api.ts';
import {
  DEFAULT_TENANT,
  formatInstant,
  type Principal,
  type Row,
  SCOPES,
  type Scope,
  type SealedColumns,
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

const listed = (words: readonly string[]): string => words.join(',');

const KEY_ROW = defineRow<StoredKey>({
  id: column.text('id'),
  entityUri: column.text('entity_uri'),
  permissions: column.of('permissions', (words) => String(words).split(','), listed),
  allowedScopes: column.of('allowed_scopes', (scopes) => String(scopes).split(',') as Scope[], listed),
  description: column.textOrNull('description'),
  createdMs: column.number('created_ms'),
  expiresAt: column.textOrNull('expires_at'),
  expiresMs: column.numberOrNull('expires_ms'),
  revokedMs: column.numberOrNull('revoked_ms'),
  oidcSub: column.textOrNull('oidc_sub'),
  client: column.textOrNull('client'),
  tenantId: column.of('tenant_id', (tenantId) => String(tenantId ?? DEFAULT_TENANT)),
});

/** Returns the columns of a key, except the digest, which only its insertion sets. */
export const rowOfKey = (key: StoredKey): Row => sealRow(SEALED, KEY_ROW.rowOf(key));

/** Throws `DamagedRow` if a column that decides about rights has changed. */
export const keyFromRow = (stored: Row): StoredKey => KEY_ROW.fromRow(openRow(SEALED, stored));

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
