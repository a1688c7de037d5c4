import { numberOrNull, openRow, sealRow } from '../../kernel/internal-api.ts';
import { type Row, type SealedColumns, type SqlValue, sha256Hex } from '../../kernel/plugin-api.ts';
import { TOKENS_TABLE } from './capability-migrations.ts';
import type { CapabilityRecord, CapabilityVerb } from './capability-tokens-api.ts';

export const SEALED = {
  table: TOKENS_TABLE,
  key: ['tenant_id', 'token_id'],
  columns: [],
  plain: ['tenant_id', 'token_id', 'issuer', 'subject', 'verb', 'object', 'digest', 'expires_ms', 'revoked_ms'],
} as const satisfies SealedColumns;

/** A stored token: its claims and the digest of its text, never the text. */
export interface StoredCapability extends CapabilityRecord {
  readonly tenantId: string;
  readonly digest: string;
}

export const entityDigest = (entityUri: string): string => sha256Hex(entityUri);

export const rowOfCapability = (token: StoredCapability): Row =>
  sealRow(SEALED, {
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

export const capabilityFromRow = (stored: Readonly<Record<string, SqlValue>>): StoredCapability => {
  const row = openRow(SEALED, stored);
  return {
    tokenId: String(row['token_id']),
    tenantId: String(row['tenant_id']),
    issuer: String(row['issuer']),
    subject: String(row['subject']),
    verb: String(row['verb']) as CapabilityVerb,
    object: String(row['object']),
    digest: String(row['digest']),
    issuedMs: Number(row['issued_ms']),
    expiresMs: Number(row['expires_ms']),
    revokedMs: numberOrNull(row['revoked_ms']),
  };
};
