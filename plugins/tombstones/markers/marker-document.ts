import { canonicalJson, encodeBase64Url, keyIdOf } from '../../../kernel/internal-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import type { Tombstone, TombstoneRevocation } from '../tombstones-api.ts';

/** Returns the bytes that the signature of a tombstone covers: the RFC 8785 form of these members. */
export const tombstoneBytes = (
  tombstone: Pick<
    Tombstone,
    'id' | 'originId' | 'entityUri' | 'scope' | 'signedBy' | 'keyId' | 'createdAt' | 'legalHold' | 'reason' | 'erase'
  >,
): Uint8Array =>
  Buffer.from(
    canonicalJson({
      id: tombstone.originId ?? tombstone.id,
      entity_uri: tombstone.entityUri,
      scope: tombstone.scope,
      signed_by: tombstone.signedBy,
      key_id: tombstone.keyId,
      created_at: tombstone.createdAt,
      legal_hold: tombstone.legalHold,
      reason: tombstone.reason,
      erase: tombstone.erase,
    }),
  );

/** Returns the bytes that the signature of a revocation covers. */
export const revocationBytes = (revocation: Omit<TombstoneRevocation, 'signature'>): Uint8Array =>
  Buffer.from(
    canonicalJson({
      id: revocation.id,
      tombstone_id: revocation.tombstoneId,
      reason: revocation.reason,
      signed_by: revocation.signedBy,
      key_id: revocation.keyId,
      created_at: revocation.createdAt,
    }),
  );

type Signer = Pick<NodeIdentity, 'publicKey' | 'sign'>;

/** Returns the tombstone with a signature by the current key of this node. */
export const signedTombstone = (tombstone: Omit<Tombstone, 'signature' | 'keyId'>, by: Signer): Tombstone => {
  const unsigned = { ...tombstone, keyId: keyIdOf(by.publicKey) };
  return { ...unsigned, signature: encodeBase64Url(by.sign(tombstoneBytes(unsigned))) };
};

/**
 * Returns the tombstone without its reason, for a place where nothing that somebody said may be in the clear. This node
 * signs its own one anew. That of a peer loses its signature, by which a short reason could be guessed.
 */
export const withoutReason = (tombstone: Tombstone, by: Signer): Tombstone => {
  if (tombstone.reason === null) return tombstone;
  const bare = { ...tombstone, reason: null };
  return tombstone.receivedFrom === null ? signedTombstone(bare, by) : { ...bare, signature: '' };
};

/** Returns the revocation with a signature by the current key of this node. */
export const signedRevocation = (
  revocation: Omit<TombstoneRevocation, 'signature' | 'keyId'>,
  by: Signer,
): TombstoneRevocation => {
  const unsigned = { ...revocation, keyId: keyIdOf(by.publicKey) };
  return { ...unsigned, signature: encodeBase64Url(by.sign(revocationBytes(unsigned))) };
};
