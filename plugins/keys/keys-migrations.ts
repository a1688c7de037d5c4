import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const API_KEYS_TABLE = 'keys_api_keys';
/** The last use of each key. It is not in the table of keys, whose rows are sealed. */
export const USES_TABLE = 'keys_uses';
export const AGENT_KEYS_TABLE = 'keys_agent_keys';
/** The digests of all keys. A key belongs to one tenant, so it can be registered only once in the whole store. */
export const DIGESTS_TABLE = 'keys_digests';

/** All instants are in milliseconds. */
export const keysMigrations: readonly Migration[] = [
  {
    number: 6,
    name: 'agent_keys',
    async up({ schema }) {
      await schema.createTable(API_KEYS_TABLE, (table) => {
        table.text('id').notNullable();
        table.text('tenant_id').notNullable();
        table.text('digest').notNullable();
        table.text('entity_uri').notNullable();
        table.text('entity_key').notNullable();
        table.text('permissions').notNullable();
        table.text('allowed_scopes').notNullable();
        table.text('description');
        table.bigInteger('created_ms').notNullable();
        table.text('expires_at');
        table.bigInteger('expires_ms');
        table.bigInteger('revoked_ms');
        table.text('oidc_sub');
        table.text('client');
        // The digest over the columns that decide about rights.
        table.text('seal').notNullable();
        table.primary(['tenant_id', 'id']);
        // Requests look a key up before its tenant is known, and operators name only its id.
        table.index(['digest'], 'keys_api_keys_by_digest');
        table.index(['id'], 'keys_api_keys_by_id');
        table.index(['tenant_id', 'oidc_sub'], 'keys_api_keys_by_subject');
        table.index(['entity_uri'], 'keys_api_keys_entity');
        table.index(['tenant_id', 'entity_key'], 'keys_api_keys_by_entity_key');
        table.index(['expires_ms'], 'keys_api_keys_expiry');
      });
      await schema.createTable(USES_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('key_id').notNullable();
        table.bigInteger('used_ms').notNullable();
        table.primary(['tenant_id', 'key_id']);
      });
      await schema.createTable(AGENT_KEYS_TABLE, (table) => {
        table.text('id').notNullable();
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        table.text('public_key').notNullable();
        table.text('description');
        table.bigInteger('registered_ms').notNullable();
        table.bigInteger('revoked_ms');
        table.text('seal').notNullable();
        table.primary(['tenant_id', 'id']);
        table.index(['entity_uri'], 'keys_agent_keys_entity');
      });
      await schema.createTable(DIGESTS_TABLE, (table) => {
        table.text('digest').primary();
      });
    },
  },
];

export const keysContents: readonly ContentColumns[] = [
  { table: API_KEYS_TABLE, key: ['tenant_id', 'id'], texts: ['description'] },
  { table: AGENT_KEYS_TABLE, key: ['tenant_id', 'id'], texts: ['description'] },
];
