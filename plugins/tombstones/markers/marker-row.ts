import type { Row } from '../../../kernel/plugin-api.ts';
import type { Tombstone, TombstoneRevocation, TombstoneScope } from '../tombstones-api.ts';

export const rowOfTombstone = (tombstone: Tombstone): Row => ({
  tenant_id: tombstone.tenantId,
  tombstone_id: tombstone.id,
  origin_id: tombstone.originId,
  entity_uri: tombstone.entityUri,
  entity_key: tombstone.entityKey,
  scope: tombstone.scope,
  reason: tombstone.reason,
  legal_hold: tombstone.legalHold ? 1 : 0,
  erase: tombstone.erase ? 1 : 0,
  signed_by: tombstone.signedBy,
  key_id: tombstone.keyId,
  signature: tombstone.signature,
  created_at: tombstone.createdAt,
  created_ms: tombstone.createdMs,
  revoked_ms: tombstone.revokedMs,
  erased_ms: tombstone.erasedMs,
  received_from: tombstone.receivedFrom,
});

export const tombstoneFromRow = (row: Readonly<Record<string, unknown>>): Tombstone => ({
  id: String(row['tombstone_id']),
  originId: row['origin_id'] as string | null,
  tenantId: String(row['tenant_id']),
  entityUri: String(row['entity_uri']),
  entityKey: String(row['entity_key']),
  scope: row['scope'] as TombstoneScope,
  reason: row['reason'] as string | null,
  legalHold: Number(row['legal_hold']) === 1,
  erase: Number(row['erase']) === 1,
  signedBy: String(row['signed_by']),
  keyId: String(row['key_id']),
  signature: String(row['signature']),
  createdAt: String(row['created_at']),
  createdMs: Number(row['created_ms']),
  revokedMs: instantOf(row['revoked_ms']),
  erasedMs: instantOf(row['erased_ms']),
  receivedFrom: row['received_from'] as string | null,
});

const instantOf = (column: unknown): number | null => (column === null ? null : Number(column));

export const rowOfRevocation = (revocation: TombstoneRevocation, tenantId: string): Row => ({
  tenant_id: tenantId,
  tombstone_id: revocation.tombstoneId,
  revocation_id: revocation.id,
  reason: revocation.reason,
  signed_by: revocation.signedBy,
  key_id: revocation.keyId,
  signature: revocation.signature,
  created_at: revocation.createdAt,
});

export const revocationFromRow = (row: Readonly<Record<string, unknown>>): TombstoneRevocation => ({
  id: String(row['revocation_id']),
  tombstoneId: String(row['tombstone_id']),
  reason: String(row['reason']),
  signedBy: String(row['signed_by']),
  keyId: String(row['key_id']),
  signature: String(row['signature']),
  createdAt: String(row['created_at']),
});
