import {
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  type Principal,
  SCOPES,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { orderedScopes, sortedPermissions } from './key-row.ts';
import type { AgentKeyRecord, ExpiringKey, KeyRecord } from './keys-api.ts';

/** The holder and the rights of a key. */
const HOLDER_MEMBERS = {
  entity_uri: STRING_JSON,
  permissions: listOf(STRING_JSON),
  allowed_scopes: listOf({ type: 'string', enum: SCOPES }),
  tenant_id: STRING_JSON,
  oidc_sub: orNull(STRING_JSON),
};

const KEY_MEMBERS = {
  id: STRING_JSON,
  ...HOLDER_MEMBERS,
  description: orNull(STRING_JSON),
  created_at: INSTANT_JSON,
  expires_at: orNull(INSTANT_JSON),
  last_used_at: orNull(INSTANT_JSON),
};

export const KEY_JSON = objectOf(KEY_MEMBERS);
export const EXPIRING_KEY_JSON = objectOf({ ...KEY_MEMBERS, days_remaining: { type: 'number', minimum: 0 } });
export const ROTATED_KEY_JSON = objectOf({
  ...KEY_MEMBERS,
  replaces: objectOf({ id: STRING_JSON, expires_at: INSTANT_JSON }),
});
export const CALLER_JSON = objectOf(HOLDER_MEMBERS);

/** A key of `/v1/auth/keys`. */
export const keyJson = (key: KeyRecord): Record<string, unknown> => ({
  id: key.id,
  entity_uri: key.entityUri,
  permissions: key.permissions,
  allowed_scopes: key.allowedScopes,
  description: key.description,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  tenant_id: key.tenantId,
  oidc_sub: key.oidcSub,
  last_used_at: key.lastUsedAt,
});

export const expiringKeyJson = (key: ExpiringKey): Record<string, unknown> => ({
  ...keyJson(key),
  days_remaining: key.daysRemaining,
});

export const AGENT_KEY_JSON = objectOf({
  id: STRING_JSON,
  entity_uri: STRING_JSON,
  public_key: STRING_JSON,
  description: orNull(STRING_JSON),
  registered_at: INSTANT_JSON,
  status: { type: 'string', enum: ['active', 'revoked'] },
});

/** A key of `/v1/auth/agent-keys`. */
export const agentKeyJson = (key: AgentKeyRecord): Record<string, unknown> => ({
  id: key.id,
  entity_uri: key.entityUri,
  public_key: key.publicKey,
  description: key.description,
  registered_at: key.registeredAt,
  status: key.revokedAt === null ? 'active' : 'revoked',
});

/** The answer of `GET /v1/me`. */
export const callerJson = (caller: Principal): Record<string, unknown> => ({
  entity_uri: caller.entityUri,
  permissions: sortedPermissions(caller.permissions),
  tenant_id: caller.tenantId,
  oidc_sub: caller.oidcSub,
  allowed_scopes: orderedScopes(caller.allowedScopes),
});
