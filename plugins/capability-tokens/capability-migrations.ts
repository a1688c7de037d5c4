import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const TOKENS_TABLE = 'capability_tokens_issued';
export const SIGNING_KEYS_TABLE = 'capability_tokens_signing_keys';

/**
 * Instants are in milliseconds. Entities are looked up by digest, because they are too long for an index. The table
 * contains only the digest of a token, so that nobody can use the store to present one.
 */
export const capabilityMigrations: readonly Migration[] = [
  {
    number: 24,
    name: 'capability_tokens',
    async up({ schema }) {
      await schema.createTable(TOKENS_TABLE, (table) => {
        table.text('token_id').notNullable();
        table.text('tenant_id').notNullable();
        table.text('issuer').notNullable();
        table.text('issuer_digest').notNullable();
        table.text('subject').notNullable();
        table.text('subject_digest').notNullable();
        table.text('verb').notNullable();
        table.text('object').notNullable();
        table.text('digest').notNullable();
        table.bigInteger('issued_ms').notNullable();
        table.bigInteger('expires_ms').notNullable();
        table.bigInteger('revoked_ms');
        table.text('revoked_by');
        table.text('revoke_reason');
        // The digest over the columns that decide about rights.
        table.text('seal').notNullable();
        table.primary(['tenant_id', 'token_id']);
        table.index(['tenant_id', 'issued_ms', 'token_id'], 'capability_tokens_issued_order');
        table.index(['tenant_id', 'issuer_digest', 'issued_ms'], 'capability_tokens_issued_issuer');
        table.index(['tenant_id', 'subject_digest', 'issued_ms'], 'capability_tokens_issued_subject');
        table.index(['expires_ms'], 'capability_tokens_issued_expiry');
      });
      await schema.createTable(SIGNING_KEYS_TABLE, (table) => {
        table.text('public_key').primary();
        table.bigInteger('known_since_ms').notNullable();
      });
    },
  },
];

export const capabilityContents: readonly ContentColumns[] = [
  { table: TOKENS_TABLE, key: ['tenant_id', 'token_id'], texts: ['revoke_reason'] },
];
