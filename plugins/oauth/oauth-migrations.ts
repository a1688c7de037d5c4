import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const CLIENTS_TABLE = 'oauth_clients';
/**
 * The table with the person behind each client's entity. Rows stay after their grants have ended, because the client's
 * facts stay too.
 */
export const ENTITIES_TABLE = 'oauth_entities';
export const CONSENTS_TABLE = 'oauth_consents';
export const GRANTS_TABLE = 'oauth_grants';
export const SECRETS_TABLE = 'oauth_secrets';

/**
 * Instants are in milliseconds. Codes, tokens and tickets are stored as digests. A client registers before its tenant
 * is known, so the table of clients has no tenant.
 */
export const oauthMigrations: readonly Migration[] = [
  {
    number: 32,
    name: 'oauth',
    async up({ schema }) {
      await schema.createTable(CLIENTS_TABLE, (table) => {
        table.text('client_id').primary();
        table.text('name').notNullable();
        table.text('redirect_uris').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.bigInteger('used_ms');
        table.index(['used_ms', 'created_ms'], 'oauth_clients_unused');
      });
      await schema.createTable(ENTITIES_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        table.text('person_uri').notNullable();
        table.primary(['tenant_id', 'entity_uri']);
      });
      await schema.createTable(CONSENTS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('digest').notNullable();
        table.text('browser').notNullable();
        table.text('key_id').notNullable();
        table.text('request').notNullable();
        table.bigInteger('expires_ms').notNullable();
        table.primary(['tenant_id', 'digest']);
        table.index(['digest'], 'oauth_consents_by_digest');
        table.index(['expires_ms'], 'oauth_consents_expiry');
      });
      await schema.createTable(GRANTS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('id').notNullable();
        table.text('client_id').notNullable();
        table.text('client_name').notNullable();
        table.text('client_host').notNullable();
        table.text('entity_uri').notNullable();
        table.text('person_uri').notNullable();
        table.text('person_key_id').notNullable();
        table.text('key_id').notNullable();
        table.text('permissions').notNullable();
        table.text('scopes').notNullable();
        table.text('gardens').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.bigInteger('expires_ms').notNullable();
        table.bigInteger('redeemed_ms');
        table.primary(['tenant_id', 'id']);
        table.index(['tenant_id', 'person_uri'], 'oauth_grants_by_person');
        table.index(['person_key_id'], 'oauth_grants_by_person_key');
        table.index(['key_id'], 'oauth_grants_by_key');
        table.index(['expires_ms'], 'oauth_grants_expiry');
      });
      await schema.createTable(SECRETS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('digest').notNullable();
        table.text('grant_id').notNullable();
        table.text('kind').notNullable();
        table.text('audience').notNullable();
        table.text('redirect_uri');
        table.text('challenge');
        table.bigInteger('expires_ms').notNullable();
        table.bigInteger('spent_ms');
        table.primary(['tenant_id', 'digest']);
        table.index(['digest'], 'oauth_secrets_by_digest');
        table.index(['tenant_id', 'grant_id'], 'oauth_secrets_by_grant');
        table.index(['expires_ms'], 'oauth_secrets_expiry');
      });
    },
  },
];

export const oauthContents: readonly ContentColumns[] = [
  { table: CLIENTS_TABLE, key: ['client_id'], texts: ['name', 'redirect_uris'] },
  { table: CONSENTS_TABLE, key: ['tenant_id', 'digest'], texts: ['request'] },
  { table: GRANTS_TABLE, key: ['tenant_id', 'id'], texts: ['client_name', 'client_host'] },
  { table: SECRETS_TABLE, key: ['tenant_id', 'digest'], texts: ['redirect_uri'] },
];
