import { DEFAULT_TENANT, type Migration } from '../../kernel/plugin-api.ts';

export const API_KEYS_TABLE = 'keys_api_keys';
export const AGENT_KEYS_TABLE = 'keys_agent_keys';
/** Digests that are taken: a key opens one tenant, so it is registered once in the whole store. */
export const DIGESTS_TABLE = 'keys_digests';

/**
 * Made with the column that migration 012 adds to older tables: a plugin that is enabled later runs after it. Instants
 * are milliseconds.
 */
export const keysMigrations: readonly Migration[] = [
  {
    number: 6,
    name: 'agent_keys',
    async up({ schema }) {
      await schema.createTable(API_KEYS_TABLE, (table) => {
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
      await schema.createTable(AGENT_KEYS_TABLE, (table) => {
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
  {
    number: 46,
    name: 'keys_of_tenants',
    async up({ schema, data, setPrimaryKey }) {
      await schema.createTable(DIGESTS_TABLE, (table) => {
        table.text('digest').primary();
      });
      const taken: { digest: string }[] = await data.table(API_KEYS_TABLE).select('digest');
      if (taken.length > 0) await data.insertRows(DIGESTS_TABLE, taken);
      await schema.alterTable(API_KEYS_TABLE, (table) => {
        table.dropUnique(['digest'], 'keys_api_keys_digest');
      });
      await schema.alterTable(API_KEYS_TABLE, (table) => {
        // A request brings its key before its tenant is known, and operators name the id alone.
        table.index(['digest'], 'keys_api_keys_by_digest');
        table.index(['id'], 'keys_api_keys_by_id');
      });
      await setPrimaryKey(API_KEYS_TABLE, ['tenant_id', 'id']);
      await setPrimaryKey(AGENT_KEYS_TABLE, ['tenant_id', 'id']);
    },
  },
  {
    number: 66,
    name: 'keys_of_subjects',
    async up({ schema }) {
      await schema.alterTable(API_KEYS_TABLE, (table) => {
        table.text('client');
      });
      await schema.alterTable(API_KEYS_TABLE, (table) => {
        table.index(['tenant_id', 'oidc_sub'], 'keys_api_keys_by_subject');
      });
    },
  },
];
