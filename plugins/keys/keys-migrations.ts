import { DEFAULT_TENANT, type Migration } from '../../kernel/plugin-api.ts';

/**
 * Made with the column that migration 012 adds to older tables: a plugin that is enabled later runs after it. Instants
 * are milliseconds.
 */
export const keysMigrations: readonly Migration[] = [
  {
    number: 6,
    name: 'agent_keys',
    async up({ schema }) {
      await schema.createTable('keys_api_keys', (table) => {
        table.text('id').primary();
        table.text('tenant_id').notNullable().defaultTo(DEFAULT_TENANT);
        table.text('digest').notNullable().unique({ indexName: 'keys_api_keys_digest' });
        table.text('entity_uri').notNullable();
        table.text('permissions').notNullable();
        table.text('allowed_scopes').notNullable();
        table.text('description');
        table.bigInteger('created_ms').notNullable();
        table.text('expires_at');
        table.bigInteger('expires_ms');
        table.bigInteger('revoked_ms');
        table.text('oidc_sub');
        table.index(['entity_uri'], 'keys_api_keys_entity');
        table.index(['expires_ms'], 'keys_api_keys_expiry');
      });
      await schema.createTable('keys_agent_keys', (table) => {
        table.text('id').primary();
        table.text('tenant_id').notNullable().defaultTo(DEFAULT_TENANT);
        table.text('entity_uri').notNullable();
        table.text('public_key').notNullable();
        table.text('description');
        table.bigInteger('registered_ms').notNullable();
        table.bigInteger('revoked_ms');
        table.index(['entity_uri'], 'keys_agent_keys_entity');
      });
    },
  },
];
