import { column, defineRow } from '../../../kernel/internal-api.ts';
import type { Row } from '../../../kernel/plugin-api.ts';
import type { Tombstone, TombstoneRevocation } from '../tombstones-api.ts';

export const { rowOf: rowOfTombstone, fromRow: tombstoneFromRow } = defineRow<Tombstone>({
  id: column.text('tombstone_id'),
  originId: column.textOrNull('origin_id'),
  tenantId: column.text('tenant_id'),
  entityUri: column.text('entity_uri'),
  entityKey: column.text('entity_key'),
  scope: column.text('scope'),
  reason: column.textOrNull('reason'),
  legalHold: column.flag('legal_hold'),
  erase: column.flag('erase'),
  signedBy: column.text('signed_by'),
  keyId: column.text('key_id'),
  signature: column.text('signature'),
  createdAt: column.text('created_at'),
  createdMs: column.number('created_ms'),
  revokedMs: column.numberOrNull('revoked_ms'),
  erasedMs: column.numberOrNull('erased_ms'),
  receivedFrom: column.textOrNull('received_from'),
});

const REVOCATION_ROW = defineRow<TombstoneRevocation>({
  id: column.text('revocation_id'),
  tombstoneId: column.text('tombstone_id'),
  reason: column.text('reason'),
  signedBy: column.text('signed_by'),
  keyId: column.text('key_id'),
  signature: column.text('signature'),
  createdAt: column.text('created_at'),
});

export const revocationFromRow = REVOCATION_ROW.fromRow;

export const rowOfRevocation = (revocation: TombstoneRevocation, tenantId: string): Row => ({
  ...REVOCATION_ROW.rowOf(revocation),
  tenant_id: tenantId,
});
