import {
  type CursorParts,
  objectRequiring,
  objectSchema,
  type PageQuery,
  pageMembers,
} from '../../kernel/internal-api.ts';
import { bindCursor, component, type Route, SCOPES, type Scope } from '../../kernel/plugin-api.ts';
import { DEFAULT_TENANTS_PAGE, MAX_NAME_LENGTH, MAX_TENANTS_PAGE } from './directory-service.ts';
import { TENANT_PATTERN, type TenantStatus, type Tenants } from './multi-tenant-api.ts';
import {
  CREATED_TENANT_JSON,
  createdTenantJson,
  TENANT,
  TENANT_PAGE_JSON,
  TENANT_REPORT,
  TENANT_STATUSES,
  tenantJson,
  tenantReportJson,
} from './tenant-json.ts';

export interface TenantParams {
  readonly id: string;
}

/** Rejects longer ids without a look-up, because no tenant has one. */
export const TENANT_PARAMS = objectRequiring<TenantParams>(['id'], { id: { type: 'string' } });

const ADMIN = { permission: 'admin' } as const;
const DIMENSION = 'admin_action';

interface ListQuery extends PageQuery {
  readonly status?: TenantStatus;
}

export interface TenantRouteParts extends CursorParts {
  readonly tenants: Tenants;
}

/** `GET /v1/tenants` */
export const listTenantsRoute = (parts: TenantRouteParts): Route<undefined, ListQuery> => ({
  method: 'GET',
  path: '/v1/tenants',
  summary: 'Tenants of the node by id, for its operator',
  access: ADMIN,
  dimension: DIMENSION,
  query: objectSchema<ListQuery>({
    status: { type: 'string', enum: TENANT_STATUSES },
    ...pageMembers(DEFAULT_TENANTS_PAGE, MAX_TENANTS_PAGE),
  }),
  answers: { 200: { json: TENANT_PAGE_JSON } },
  example: { query: { status: 'active', limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const { status, limit } = query;
    const bound = bindCursor(request, query.cursor, { status }, parts);
    const after = bound.position && String(bound.position[0]);
    const { tenants, total, more } = await parts.tenants.list(caller, { status, after, limit });
    const { list, cursor } = await bound.page(tenants, limit, {
      positionOf: ({ id }) => [id],
      toJson: tenantJson,
      more,
    });
    return { status: 200, body: { tenants: list, total, cursor } };
  },
});

/** `GET /v1/tenants/{id}` */
export const getTenantRoute = (tenants: Tenants): Route<TenantParams> => ({
  method: 'GET',
  path: '/v1/tenants/:id',
  summary: 'One tenant with what it holds, or with the receipt of its erasure',
  // Counts all that the tenant holds.
  cost: 250,
  access: ADMIN,
  dimension: DIMENSION,
  params: TENANT_PARAMS,
  answers: { 200: { json: component(TENANT_REPORT) } },
  example: { params: { id: 'acme' } },
  handle: async ({ caller, params }) => ({
    status: 200,
    body: tenantReportJson(await tenants.get(caller, params.id)),
  }),
});

interface CreateBody {
  readonly id: string;
  readonly name?: string | null;
  readonly first_key: {
    readonly raw_key: string;
    readonly entity_uri: string;
    readonly permissions?: readonly string[];
    readonly allowed_scopes?: readonly Scope[];
    readonly description?: string | null;
    readonly expires_at?: string | null;
  };
}

/** Default permissions of a first key: to administer and to use the tenant. */
export const FIRST_PERMISSIONS: readonly string[] = ['admin', 'read', 'write'];

/** `POST /v1/tenants`: the caller sends the first key, and the node stores its digest. */
export const createTenantRoute = (tenants: Tenants): Route<undefined, undefined, CreateBody> => ({
  method: 'POST',
  path: '/v1/tenants',
  summary: 'Makes a tenant together with its first key',
  access: ADMIN,
  dimension: DIMENSION,
  body: objectRequiring<CreateBody>(['id', 'first_key'], {
    id: { type: 'string', pattern: TENANT_PATTERN.source },
    name: { type: ['string', 'null'], maxLength: MAX_NAME_LENGTH },
    first_key: {
      type: 'object',
      required: ['raw_key', 'entity_uri'],
      properties: {
        raw_key: { type: 'string' },
        entity_uri: { type: 'string' },
        permissions: { type: 'array', minItems: 1, maxItems: 64, items: { type: 'string' } },
        allowed_scopes: { type: 'array', minItems: 1, maxItems: 64, items: { enum: [...SCOPES] } },
        description: { type: ['string', 'null'] },
        expires_at: { type: ['string', 'null'] },
      },
    },
  }),
  answers: { 201: { json: CREATED_TENANT_JSON } },
  example: {
    body: {
      id: 'acme',
      name: 'Acme',
      first_key: {
        raw_key: 'a-long-random-text-that-you-drew-yourself',
        entity_uri: 'user:alice',
        permissions: ['admin', 'read', 'write'],
        allowed_scopes: ['local', 'company'],
        description: 'first administrator of Acme',
        expires_at: null,
      },
    },
  },
  async handle({ caller, body }) {
    const { raw_key, entity_uri, permissions, allowed_scopes, description, expires_at } = body.first_key;
    const { tenant, firstKey } = await tenants.create(caller, {
      id: body.id,
      name: body.name ?? null,
      firstKey: {
        rawKey: raw_key,
        entityUri: entity_uri,
        permissions: permissions ?? FIRST_PERMISSIONS,
        allowedScopes: allowed_scopes ?? SCOPES,
        description: description ?? null,
        expiresAt: expires_at,
      },
    });
    return { status: 201, body: createdTenantJson(tenant, firstKey) };
  },
});

interface ChangeBody {
  readonly status?: 'active' | 'suspended';
  readonly name?: string | null;
}

/** `PATCH /v1/tenants/{id}` */
export const changeTenantRoute = (tenants: Tenants): Route<TenantParams, undefined, ChangeBody> => ({
  method: 'PATCH',
  path: '/v1/tenants/:id',
  summary: 'Suspends, resumes or renames a tenant',
  access: ADMIN,
  dimension: DIMENSION,
  params: TENANT_PARAMS,
  body: objectSchema<ChangeBody>({
    status: { type: 'string', enum: ['active', 'suspended'] },
    name: { type: ['string', 'null'], maxLength: MAX_NAME_LENGTH },
  }),
  answers: { 200: { json: component(TENANT) } },
  example: { params: { id: 'acme' }, body: { name: 'Acme and Sons', status: 'active' } },
  handle: async ({ caller, params, body }) => ({
    status: 200,
    body: tenantJson(await tenants.change(caller, params.id, body)),
  }),
});

interface EraseBody {
  readonly confirm: string;
}

/** `DELETE /v1/tenants/{id}`: 202 while a job erases the tenant, and 200 with the receipt after the erasure. */
export const eraseTenantRoute = (tenants: Tenants): Route<TenantParams, undefined, EraseBody> => ({
  method: 'DELETE',
  path: '/v1/tenants/:id',
  summary: 'Erases a tenant with everything that it holds, for ever',
  access: ADMIN,
  dimension: DIMENSION,
  params: TENANT_PARAMS,
  body: objectRequiring<EraseBody>(['confirm'], { confirm: { type: 'string' } }),
  answers: { 200: { json: component(TENANT_REPORT) }, 202: { json: component(TENANT_REPORT) } },
  example: { params: { id: 'acme' }, body: { confirm: 'acme' } },
  async handle({ caller, params, body }) {
    const report = await tenants.erase(caller, params.id, { confirm: body.confirm });
    return { status: report.status === 'erased' ? 200 : 202, body: tenantReportJson(report) };
  },
});
