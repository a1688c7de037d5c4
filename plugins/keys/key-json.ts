import { formatInstant, type Principal } from '../../kernel/plugin-api.ts';
import type { AgentKey } from './agent-key-store.ts';
import { orderedScopes, sortedPermissions } from './key-row.ts';
import type { KeyRecord } from './keys-api.ts';

/** A key of `GET /v1/auth/keys` (wire contract 13.1). */
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
});

/** A key of `/v1/auth/agent-keys` (wire contract 13.4). */
export const agentKeyJson = (key: AgentKey): Record<string, unknown> => ({
  id: key.id,
  entity_uri: key.entityUri,
  public_key: key.publicKey,
  description: key.description,
  registered_at: formatInstant(key.registeredMs),
  status: key.revokedMs === null ? 'active' : 'revoked',
});

/** The answer of `GET /v1/me` (wire contract 3.3). */
export const callerJson = (caller: Principal): Record<string, unknown> => ({
  entity_uri: caller.entityUri,
  permissions: sortedPermissions(caller.permissions),
  tenant_id: caller.tenantId,
  oidc_sub: caller.oidcSub,
  allowed_scopes: orderedScopes(caller.allowedScopes),
});
