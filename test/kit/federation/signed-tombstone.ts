import { canonicalJson, encodeBase64Url } from '../../../kernel/internal-api.ts';
import type { Document, PeerIdentity } from './peer-identity.ts';

const signed = (signer: PeerIdentity, members: Document): Document => ({
  ...members,
  signature: encodeBase64Url(signer.signer.sign(Buffer.from(canonicalJson(members)))),
});

/** Returns a tombstone as nodes exchange it, signed with the key of the signer. `changes` override its members. */
export const signedTombstone = (signer: PeerIdentity, nowMs: number, changes: Document = {}): Document => ({
  ...signed(signer, {
    id: 'tomb_00000000-0000-4000-8000-000000000001',
    entity_uri: 'user:forged',
    scope: '*',
    signed_by: signer.nodeId,
    key_id: signer.keyId,
    created_at: new Date(nowMs).toISOString(),
    legal_hold: false,
    reason: null,
    erase: false,
    ...changes,
  }),
  revocation: null,
});

/** Returns a revocation of a tombstone, signed with the key of the signer. */
export const signedRevocation = (signer: PeerIdentity, nowMs: number, tombstoneId: string): Document =>
  signed(signer, {
    id: 'tombrevoke_00000000-0000-4000-8000-000000000001',
    tombstone_id: tombstoneId,
    reason: 'a mistake',
    signed_by: signer.nodeId,
    key_id: signer.keyId,
    created_at: new Date(nowMs).toISOString(),
  });
