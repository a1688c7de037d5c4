import { type Row, type SqlValue, sha256Hex } from '../../kernel/plugin-api.ts';
import type { CapabilityRecord, CapabilityVerb } from './capability-tokens-api.ts';

/** A stored token: its claims and the digest of its text, never the text. */
export interface StoredCapability extends CapabilityRecord {
  readonly tenantId: string;
  readonly digest: string;
}

export const entityDigest = (entityUri: string): string => sha256Hex(entityUri);

export const rowOfCapability = (token: StoredCapability): Row => ({
  token_id: token.tokenId,
  tenant_id: token.tenantId,
  issuer: token.issuer,
  issuer_digest: entityDigest(token.issuer),
  subject: token.subject,
  subject_digest: entityDigest(token.subject),
  verb: token.verb,
  object: token.object,
  digest: token.digest,
  issued_ms: token.issuedMs,
  expires_ms: token.expiresMs,
  revoked_ms: token.revokedMs,
});

export const capabilityFromRow = (row: Readonly<Record<string, SqlValue>>): StoredCapability => ({
  tokenId: String(row['token_id']),
  tenantId: String(row['tenant_id']),
  issuer: String(row['issuer']),
  subject: String(row['subject']),
  verb: String(row['verb']) as CapabilityVerb,
  object: String(row['object']),
  digest: String(row['digest']),
  issuedMs: Number(row['issued_ms']),
  expiresMs: Number(row['expires_ms']),
  revokedMs: row['revoked_ms'] == null ? null : Number(row['revoked_ms']),
});
