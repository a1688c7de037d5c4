import { column, defineRow } from '../../kernel/internal-api.ts';

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

export const { rowOf: rowOfQuarantined, fromRow: quarantinedFromRow } = defineRow<QuarantineRecord>({
  factId: column.text('fact_id'),
  tenantId: column.text('tenant_id'),
  gardenId: column.text('garden_id'),
  status: column.text('status'),
  reason: column.text('reason'),
  timestampMs: column.number('timestamp_ms'),
  actedBy: column.textOrNull('acted_by'),
  actedMs: column.numberOrNull('acted_ms'),
  targetGardenId: column.textOrNull('target_garden_id'),
});
