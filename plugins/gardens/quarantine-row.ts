import type { Row, SqlValue } from '../../kernel/plugin-api.ts';

export const QUARANTINE_STATUSES = ['pending', 'promoted', 'rejected'] as const;
export type QuarantineStatus = (typeof QUARANTINE_STATUSES)[number];

/** A fact in a quarantine garden, and what was decided about it. The fact itself never changes. */
export interface Quarantined {
  readonly factId: string;
  readonly tenantId: string;
  readonly gardenId: string;
  readonly status: QuarantineStatus;
  /** One word. */
  readonly reason: string;
  /** Timestamp of the fact, for the order of lists. */
  readonly timestampMs: number;
  /** entity_uri of the moderator; null while it is pending. */
  readonly actedBy: string | null;
  readonly actedMs: number | null;
  /** Where it was promoted to; null while it is not, and for a promotion out of all gardens. */
  readonly targetGardenId: string | null;
}

export const rowOfQuarantined = (entry: Quarantined): Row => ({
  fact_id: entry.factId,
  tenant_id: entry.tenantId,
  garden_id: entry.gardenId,
  status: entry.status,
  reason: entry.reason,
  timestamp_ms: entry.timestampMs,
  acted_by: entry.actedBy,
  acted_ms: entry.actedMs,
  target_garden_id: entry.targetGardenId,
});

export const quarantinedFromRow = (row: Readonly<Record<string, SqlValue>>): Quarantined => ({
  factId: String(row['fact_id']),
  tenantId: String(row['tenant_id']),
  gardenId: String(row['garden_id']),
  status: String(row['status']) as QuarantineStatus,
  reason: String(row['reason']),
  timestampMs: Number(row['timestamp_ms']),
  actedBy: row['acted_by'] == null ? null : String(row['acted_by']),
  actedMs: row['acted_ms'] == null ? null : Number(row['acted_ms']),
  targetGardenId: row['target_garden_id'] == null ? null : String(row['target_garden_id']),
});
