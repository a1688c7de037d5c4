import { BOOLEAN_JSON, INSTANT_JSON, objectOf, orNull, STRING_JSON } from '../../../kernel/plugin-api.ts';
import type { Tombstone, TombstoneRevocation } from '../tombstones-api.ts';

/** The members that every JSON form of a tombstone has. */
export const MARKER_MEMBERS = {
  id: STRING_JSON,
  entity_uri: STRING_JSON,
  scope: STRING_JSON,
  reason: orNull(STRING_JSON),
  signed_by: STRING_JSON,
  key_id: STRING_JSON,
  signature: STRING_JSON,
  created_at: INSTANT_JSON,
  legal_hold: BOOLEAN_JSON,
};

/**
 * The JSON schema of a tombstone. `origin_id` is present only where the signature covers another id than `id`. `erase`
 * is present only once the facts are destroyed. Before that the signature covers `false`.
 */
export const TOMBSTONE_JSON = objectOf(
  { ...MARKER_MEMBERS, origin_id: STRING_JSON, erase: BOOLEAN_JSON },
  { optional: ['origin_id', 'erase'] },
);

export const tombstoneJson = (tombstone: Tombstone) => ({
  id: tombstone.id,
  entity_uri: tombstone.entityUri,
  scope: tombstone.scope,
  reason: tombstone.reason,
  signed_by: tombstone.signedBy,
  key_id: tombstone.keyId,
  signature: tombstone.signature,
  created_at: tombstone.createdAt,
  legal_hold: tombstone.legalHold,
  ...(tombstone.originId !== null && { origin_id: tombstone.originId }),
  ...(tombstone.erase && { erase: true }),
});

export const REVOCATION_JSON = objectOf({
  id: STRING_JSON,
  tombstone_id: STRING_JSON,
  reason: STRING_JSON,
  signed_by: STRING_JSON,
  key_id: STRING_JSON,
  signature: STRING_JSON,
  created_at: INSTANT_JSON,
});

export const revocationJson = (revocation: TombstoneRevocation) => ({
  id: revocation.id,
  tombstone_id: revocation.tombstoneId,
  reason: revocation.reason,
  signed_by: revocation.signedBy,
  key_id: revocation.keyId,
  signature: revocation.signature,
  created_at: revocation.createdAt,
});
