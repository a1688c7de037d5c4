import { objectRequiring, objectSchema } from '../../kernel/internal-api.ts';
import { arrayReply, listOf, NO_BODY, type Route, SCOPES, type Scope } from '../../kernel/plugin-api.ts';
import { TENANT_PATTERN } from '../multi-tenant/multi-tenant-api.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_RAW_KEY_LENGTH, MIN_RAW_KEY_LENGTH } from './check-registration.ts';
import { EXPIRING_KEY_JSON, expiringKeyJson, KEY_JSON, keyJson, ROTATED_KEY_JSON } from './key-json.ts';
import { MAX_DAYS_AHEAD } from './key-registry.ts';
import type { KeyRegistry } from './keys-api.ts';
import { DEFAULT_KEY_OVERLAP_SECONDS, MAX_KEY_OVERLAP_SECONDS } from './rotate-key.ts';

const MAX_LISTED = 1_000;

interface ListQuery {
  readonly all: boolean;
  readonly search?: string;
  readonly limit: number;
}

/** `GET /v1/auth/keys` */
export const listKeysRoute = (registry: KeyRegistry): Route<undefined, ListQuery> => ({
  method: 'GET',
  path: '/v1/auth/keys',
  summary: "The caller's active keys, newest first; with `all` those of the tenant, for an admin",
  access: { permission: 'any' },
  query: objectSchema<ListQuery>({
    all: { type: 'boolean', default: false },
    search: { type: 'string', minLength: 1, maxLength: 200 },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LISTED, default: MAX_LISTED },
  }),
  answers: { 200: { json: listOf(KEY_JSON) } },
  example: { query: { all: true, search: 'planner', limit: 100 } },
  async handle({ caller, query: { all, search, limit } }) {
    const narrowing = { search, limit };
    return arrayReply(await (all ? registry.list(caller, narrowing) : registry.own(caller, narrowing)), keyJson);
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
  objectRequiring<RegisterBody>(['raw_key', 'entity_uri'], {
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
  });

/** `POST /v1/auth/keys`: the caller sends the key, and the node stores its digest. */
export const registerKeyRoute = (registry: KeyRegistry): Route<undefined, undefined, RegisterBody> => ({
  method: 'POST',
  path: '/v1/auth/keys',
  summary: 'Registers a key that the caller chose',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  body: registerBody(registry.permissions),
  answers: { 201: { json: KEY_JSON } },
  example: {
    body: {
      raw_key: 'a-long-random-text-that-you-drew-yourself',
      entity_uri: 'agent:planner',
      permissions: ['read', 'write'],
      allowed_scopes: ['local', 'company'],
      description: 'planner on the build server',
      expires_at: null,
    },
  },
  async handle({ caller, body }) {
    const key = await registry.register(caller, {
      rawKey: body.raw_key,
      entityUri: body.entity_uri,
      permissions: body.permissions,
      allowedScopes: body.allowed_scopes,
      description: body.description ?? null,
      expiresAt: body.expires_at,
      tenantId: body.tenant_id,
    });
    return { status: 201, body: keyJson(key) };
  },
});

interface ExpiringQuery {
  readonly within_days: number;
}

/** `GET /v1/auth/keys/expiring-soon`: operators poll this route, because the node does not announce an expiry. */
export const expiringKeysRoute = (
  registry: KeyRegistry,
  expiringSoonDays: number,
): Route<undefined, ExpiringQuery> => ({
  method: 'GET',
  path: '/v1/auth/keys/expiring-soon',
  summary: "The tenant's active keys that expire within some days, soonest first",
  // Lists all of them.
  cost: 250,
  access: { permission: 'admin' },
  query: objectSchema<ExpiringQuery>({
    within_days: { type: 'integer', minimum: 1, maximum: MAX_DAYS_AHEAD, default: expiringSoonDays },
  }),
  answers: { 200: { json: listOf(EXPIRING_KEY_JSON) } },
  example: { query: { within_days: 30 } },
  handle: async ({ caller, query }) => arrayReply(await registry.expiring(caller, query.within_days), expiringKeyJson),
});

interface RotateBody {
  readonly raw_key: string;
  readonly overlap_s: number;
}

/** `POST /v1/auth/keys/{key-id}/rotate`: the caller sends the new key. */
export const rotateKeyRoute = (registry: KeyRegistry): Route<{ id: string }, undefined, RotateBody> => ({
  method: 'POST',
  path: '/v1/auth/keys/:id/rotate',
  summary: 'Replaces a key, an own one or any of the tenant for an admin; the former one stays good for a while',
  access: { permission: 'any' },
  dimension: 'admin_action',
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  body: objectRequiring<RotateBody>(['raw_key'], {
    raw_key: { type: 'string', minLength: MIN_RAW_KEY_LENGTH, maxLength: MAX_RAW_KEY_LENGTH },
    overlap_s: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_KEY_OVERLAP_SECONDS,
      default: DEFAULT_KEY_OVERLAP_SECONDS,
    },
  }),
  answers: { 201: { json: ROTATED_KEY_JSON } },
  example: {
    params: { id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' },
    body: { raw_key: 'another-long-random-text-that-you-drew', overlap_s: 3_600 },
  },
  async handle({ caller, params, body }) {
    const { record, formerId, formerEndsAt } = await registry.rotate(caller, params.id, {
      rawKey: body.raw_key,
      overlapSeconds: body.overlap_s,
    });
    return { status: 201, body: { ...keyJson(record), replaces: { id: formerId, expires_at: formerEndsAt } } };
  },
});

/** `DELETE /v1/auth/keys/{key-id}` */
export const revokeKeyRoute = (registry: KeyRegistry): Route<{ id: string }> => ({
  method: 'DELETE',
  path: '/v1/auth/keys/:id',
  summary: 'Revokes a key: an own one, or any of the tenant for an admin',
  access: { permission: 'any' },
  dimension: 'admin_action',
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  answers: { 204: NO_BODY },
  example: { params: { id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' } },
  async handle({ caller, params }) {
    await registry.revoke(caller, params.id);
    return { status: 204 };
  },
});
