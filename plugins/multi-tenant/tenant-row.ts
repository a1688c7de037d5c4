import { column, defineRow, openRow, sealRow } from '../../kernel/internal-api.ts';
import { formatInstant, openJson, type Row, sealJson } from '../../kernel/plugin-api.ts';
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

const TENANT_ROW = defineRow<StoredTenant>({
  id: column.text('id'),
  name: column.textOrNull('name'),
  status: column.text('status'),
  createdMs: column.number('created_ms'),
  suspendedMs: column.numberOrNull('suspended_ms'),
  requestedBy: column.textOrNull('requested_by'),
  requestedMs: column.numberOrNull('requested_ms'),
  jobId: column.textOrNull('job_id'),
  removed: {
    write: (removed) => ({ removed: sealJson(removed) }),
    read: (row) => openJson<Record<string, number> | null>(SEALED, row, 'removed') ?? {},
  },
  receipt: column.json(SEALED, 'receipt'),
});

export const rowOfTenant = (tenant: StoredTenant): Row => sealRow(SEALED, TENANT_ROW.rowOf(tenant));

export const tenantFromRow = (row: Row): StoredTenant => TENANT_ROW.fromRow(openRow(SEALED, row));

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
