import { numberOrNull, openRow, sealRow, textOrNull } from '../../kernel/internal-api.ts';
import { formatInstant, openJson, type Row, type SqlValue, sealJson } from '../../kernel/plugin-api.ts';
import type { ErasureReceipt, TenantErasure, TenantRecord, TenantStatus } from './multi-tenant-api.ts';
import { SEALED } from './multi-tenant-migrations.ts';

export interface StoredTenant {
  readonly id: string;
  readonly name: string | null;
  readonly status: TenantStatus;
  readonly createdMs: number;
  readonly suspendedMs: number | null;
  readonly requestedBy: string | null;
  readonly requestedMs: number | null;
  readonly jobId: string | null;
  readonly removed: Readonly<Record<string, number>>;
  readonly receipt: ErasureReceipt | null;
}

export const newTenant = (id: string, name: string | null, createdMs: number): StoredTenant => ({
  id,
  name,
  status: 'active',
  createdMs,
  suspendedMs: null,
  requestedBy: null,
  requestedMs: null,
  jobId: null,
  removed: {},
  receipt: null,
});

export const rowOfTenant = (tenant: StoredTenant): Row =>
  sealRow(SEALED, {
    id: tenant.id,
    name: tenant.name,
    status: tenant.status,
    created_ms: tenant.createdMs,
    suspended_ms: tenant.suspendedMs,
    requested_by: tenant.requestedBy,
    requested_ms: tenant.requestedMs,
    job_id: tenant.jobId,
    removed: sealJson(tenant.removed),
    receipt: sealJson(tenant.receipt),
  });

export const tenantFromRow = (row: Readonly<Record<string, SqlValue>>): StoredTenant => ({
  ...standingFromRow(row),
  name: textOrNull(row['name']),
  createdMs: Number(row['created_ms']),
  suspendedMs: numberOrNull(row['suspended_ms']),
  requestedBy: textOrNull(row['requested_by']),
  requestedMs: numberOrNull(row['requested_ms']),
  jobId: textOrNull(row['job_id']),
  removed: openJson<Record<string, number> | null>(SEALED, row, 'removed') ?? {},
  receipt: openJson<ErasureReceipt | null>(SEALED, row, 'receipt'),
});

/** Reads the columns that decide about rights. Throws `DamagedRow` if one has changed. */
export const standingFromRow = (stored: Row): Pick<StoredTenant, 'id' | 'status'> => {
  const row = openRow(SEALED, stored);
  return { id: String(row['id']), status: String(row['status']) as TenantStatus };
};

export const recordOfTenant = ({ id, name, status, createdMs, suspendedMs }: StoredTenant): TenantRecord => ({
  id,
  name,
  status,
  createdAt: formatInstant(createdMs),
  suspendedAt: suspendedMs === null ? null : formatInstant(suspendedMs),
});

export const erasureOf = ({ requestedBy, requestedMs, removed, jobId, receipt }: StoredTenant): TenantErasure | null =>
  requestedBy === null || requestedMs === null
    ? null
    : { requestedBy, requestedAt: formatInstant(requestedMs), rows: removed, jobId, receipt };
