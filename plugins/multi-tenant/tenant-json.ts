import {
  COUNT_JSON,
  CURSOR_JSON,
  component,
  defineComponent,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { RegisteredFirstKey, TenantRecord, TenantReport, TenantStatus } from './multi-tenant-api.ts';

export const TENANT_STATUSES: readonly TenantStatus[] = ['active', 'suspended', 'erasing', 'erased'];

const TENANT_MEMBERS = {
  id: STRING_JSON,
  name: orNull(STRING_JSON),
  status: { type: 'string', enum: TENANT_STATUSES },
  created_at: INSTANT_JSON,
  suspended_at: orNull(INSTANT_JSON),
};
const ROWS_JSON = { type: 'object', additionalProperties: COUNT_JSON };

const RECEIPT_JSON = objectOf({
  tenant_id: STRING_JSON,
  requested_by: STRING_JSON,
  requested_at: INSTANT_JSON,
  erased_at: INSTANT_JSON,
  erased: ROWS_JSON,
  remains: listOf(STRING_JSON),
  limits: listOf(STRING_JSON),
  signed_by: STRING_JSON,
  key_id: orNull(STRING_JSON),
  signature: orNull(STRING_JSON),
});

export const TENANT = defineComponent('Tenant', { summary: 'a tenant', json: objectOf(TENANT_MEMBERS) });

export const TENANT_REPORT = defineComponent('TenantReport', {
  summary: 'a tenant with its counts and its erasure',
  json: objectOf({
    ...TENANT_MEMBERS,
    counts: ROWS_JSON,
    erasure: orNull(
      objectOf({
        requested_by: STRING_JSON,
        requested_at: INSTANT_JSON,
        rows: ROWS_JSON,
        job_id: orNull(STRING_JSON),
        receipt: orNull(RECEIPT_JSON),
      }),
    ),
  }),
});

export const CREATED_TENANT_JSON = objectOf({
  ...TENANT_MEMBERS,
  first_key: objectOf({
    id: STRING_JSON,
    entity_uri: STRING_JSON,
    permissions: listOf(STRING_JSON),
    allowed_scopes: listOf({ type: 'string', enum: SCOPES }),
    expires_at: orNull(INSTANT_JSON),
  }),
});

export const TENANT_PAGE_JSON = objectOf({
  tenants: listOf(component(TENANT)),
  total: COUNT_JSON,
  cursor: CURSOR_JSON,
});

/** A tenant in the answers of `/v1/tenants`. */
export const tenantJson = (tenant: TenantRecord) => ({
  id: tenant.id,
  name: tenant.name,
  status: tenant.status,
  created_at: tenant.createdAt,
  suspended_at: tenant.suspendedAt,
});

export const tenantReportJson = ({ counts, erasure, ...tenant }: TenantReport) => ({
  ...tenantJson(tenant),
  counts,
  erasure:
    erasure === null
      ? null
      : {
          requested_by: erasure.requestedBy,
          requested_at: erasure.requestedAt,
          rows: erasure.rows,
          job_id: erasure.jobId,
          receipt: erasure.receipt,
        },
});

export const createdTenantJson = (tenant: TenantRecord, key: RegisteredFirstKey) => ({
  ...tenantJson(tenant),
  first_key: {
    id: key.id,
    entity_uri: key.entityUri,
    permissions: key.permissions,
    allowed_scopes: key.allowedScopes,
    expires_at: key.expiresAt,
  },
});
