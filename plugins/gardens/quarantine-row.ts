import { numberOrNull, textOrNull } from '../../kernel/internal-api.ts';
import type { Row, SqlValue } from '../../kernel/plugin-api.ts';

export const QUARANTINE_STATUSES = ['pending', 'promoted', 'rejected'] as const;
export type QuarantineStatus = (typeof QUARANTINE_STATUSES)[number];

/** A fact in a quarantine garden, with the moderator's judgement. The fact itself never changes. */
export interface QuarantineRecord {
  readonly factId: string;
  readonly tenantId: string;
  readonly gardenId: string;
  readonly status: QuarantineStatus;
  /** The reason for the quarantine, in one word. */
  readonly reason: string;
  /** The timestamp of the fact, which orders lists. */
  readonly timestampMs: number;
  /** The entity_uri of the moderator; null until there is a judgement. */
  readonly actedBy: string | null;
  readonly actedMs: number | null;
  /** The garden of the copy. Null without a promotion, and for a promotion out of all gardens. */
  readonly targetGardenId: string | null;
}

export const rowOfQuarantined = (entry: QuarantineRecord): Row => ({
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

export const quarantinedFromRow = (row: Readonly<Record<string, SqlValue>>): QuarantineRecord => ({
  factId: String(row['fact_id']),
  tenantId: String(row['tenant_id']),
  gardenId: String(row['garden_id']),
  status: String(row['status']) as QuarantineStatus,
  reason: String(row['reason']),
  timestampMs: Number(row['timestamp_ms']),
  actedBy: textOrNull(row['acted_by']),
  actedMs: numberOrNull(row['acted_ms']),
  targetGardenId: textOrNull(row['target_garden_id']),
});
