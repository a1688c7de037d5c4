import {
  arrayReply,
  type Clock,
  type Principal,
  type Route,
  SCOPES,
  type Scope,
  schema,
} from '../../kernel/plugin-api.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_RAW_KEY_LENGTH, TENANT_PATTERN } from './check-registration.ts';
import { keyJson } from './key-json.ts';
import { recordOf } from './key-row.ts';
import type { KeyStore } from './key-store.ts';
import { type KeyRegistry, MIN_RAW_KEY_LENGTH } from './keys-api.ts';

export interface KeyRouteParts {
  readonly registry: KeyRegistry;
  readonly store: KeyStore;
  readonly clock: Clock;
  readonly expiringSoonDays: number;
  /** Narrows a list to the keys of the caller's tenant. */
  tenantFilter(caller: Principal): { readonly tenantId?: string };
}

const DAY_MS = 86_400_000;

/** `GET /v1/auth/keys` */
export const listKeysRoute = ({ store, clock, tenantFilter }: KeyRouteParts): Route => ({
  method: 'GET',
  path: '/v1/auth/keys',
  summary: "The caller's active keys, newest first",
  access: { permission: 'any' },
  async handle({ caller }) {
    const filter = { entityUri: caller.entityUri, activeAtMs: clock.nowMs(), ...tenantFilter(caller) };
    const keys = await store.list(filter);
    return arrayReply(keys, (key) => keyJson(recordOf(key)));
  },
});

interface RegisterBody {
  readonly raw_key: string;
  readonly entity_uri: string;
  readonly permissions: readonly string[];
  readonly allowed_scopes: readonly Scope[];
  readonly description?: string | null;
  readonly expires_at?: string | null;
  readonly tenant_id?: string;
}

const registerBody = (permissions: readonly string[]) =>
  schema<RegisterBody>({
    type: 'object',
    required: ['raw_key', 'entity_uri'],
    properties: {
      raw_key: { type: 'string', minLength: MIN_RAW_KEY_LENGTH, maxLength: MAX_RAW_KEY_LENGTH },
      entity_uri: { type: 'string' },
      permissions: {
        type: 'array',
        minItems: 1,
        maxItems: 64,
        items: { enum: [...permissions] },
        default: ['read', 'write'],
      },
      allowed_scopes: { type: 'array', minItems: 1, maxItems: 64, items: { enum: [...SCOPES] }, default: [...SCOPES] },
      description: { type: ['string', 'null'], maxLength: MAX_DESCRIPTION_LENGTH },
      expires_at: { type: ['string', 'null'] },
      tenant_id: { type: 'string', pattern: TENANT_PATTERN.source },
    },
  });

/** `POST /v1/auth/keys`: the caller brings the key, the node keeps its digest. */
export const registerKeyRoute = ({ registry }: KeyRouteParts): Route<undefined, undefined, RegisterBody> => ({
  method: 'POST',
  path: '/v1/auth/keys',
  summary: 'Registers a key that the caller chose',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  body: registerBody(registry.permissions),
  async handle({ caller, body }) {
    const key = await registry.register(
      {
        rawKey: body.raw_key,
        entityUri: body.entity_uri,
        permissions: body.permissions,
        allowedScopes: body.allowed_scopes,
        description: body.description ?? null,
        expiresAt: body.expires_at,
        tenantId: body.tenant_id,
      },
      caller,
    );
    return { status: 201, body: keyJson(key) };
  },
});

interface ExpiringQuery {
  readonly within_days: number;
}

/** `GET /v1/auth/keys/expiring-soon`: nothing announces an expiry, operators poll this. */
export const expiringKeysRoute = (parts: KeyRouteParts): Route<undefined, ExpiringQuery> => ({
  method: 'GET',
  path: '/v1/auth/keys/expiring-soon',
  summary: "The tenant's active keys that expire within some days, soonest first",
  access: { permission: 'admin' },
  query: schema<ExpiringQuery>({
    type: 'object',
    properties: { within_days: { type: 'integer', minimum: 1, maximum: 365, default: parts.expiringSoonDays } },
  }),
  async handle({ caller, query }) {
    const nowMs = parts.clock.nowMs();
    const expiringByMs = nowMs + query.within_days * DAY_MS;
    const keys = await parts.store.list({ activeAtMs: nowMs, expiringByMs, ...parts.tenantFilter(caller) });
    return arrayReply(keys, (key) => ({
      ...keyJson(recordOf(key)),
      days_remaining: Math.max(0, ((key.expiresMs ?? nowMs) - nowMs) / DAY_MS),
    }));
  },
});

/** `DELETE /v1/auth/keys/{key-id}` */
export const revokeKeyRoute = ({ registry }: KeyRouteParts): Route<{ id: string }> => ({
  method: 'DELETE',
  path: '/v1/auth/keys/:id',
  summary: 'Revokes a key: an own one, or any of the tenant for an admin',
  access: { permission: 'any' },
  dimension: 'admin_action',
  params: schema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } } }),
  async handle({ caller, params }) {
    await registry.revoke(params.id, caller);
    return { status: 204 };
  },
});
