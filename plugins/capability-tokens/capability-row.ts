import { column, defineRow, openRow, sealRow } from '../../kernel/internal-api.ts';
import { type Row, type SealedColumns, sha256Hex } from '../../kernel/plugin-api.ts';
import { TOKENS_TABLE } from './capability-migrations.ts';
import type { CapabilityRecord } from './capability-tokens-api.ts';

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

const TOKEN_ROW = defineRow<StoredCapability>({
  tokenId: column.text('token_id'),
  tenantId: column.text('tenant_id'),
  issuer: column.text('issuer'),
  subject: column.text('subject'),
  verb: column.text('verb'),
  object: column.text('object'),
  digest: column.text('digest'),
  issuedMs: column.number('issued_ms'),
  expiresMs: column.number('expires_ms'),
  revokedMs: column.numberOrNull('revoked_ms'),
});

export const rowOfCapability = (token: StoredCapability): Row =>
  sealRow(SEALED, {
    ...TOKEN_ROW.rowOf(token),
    issuer_digest: entityDigest(token.issuer),
    subject_digest: entityDigest(token.subject),
  });

export const capabilityFromRow = (stored: Row): StoredCapability => TOKEN_ROW.fromRow(openRow(SEALED, stored));
