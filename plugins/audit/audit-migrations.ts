import { DEFAULT_TENANT, type Migration } from '../../kernel/plugin-api.ts';
import { linkEntries } from './chain/link-entries.ts';
import { separateEntries } from './separate-entries.ts';

/** Made with the column that migration 012 adds to older tables: a plugin that is enabled later runs after it. */
const factAudit: Migration = {
  number: 7,
  name: 'fact_audit',
  async up({ schema, dialect }) {
    await schema.createTable('audit_entries', (table) => {
      dialect.numberRows(table, 'seq', { deletesRows: false });
      table.text('id').notNullable();
      table.text('tenant_id').notNullable().defaultTo(DEFAULT_TENANT);
      table.text('event_type').notNullable();
      table.text('entity_uri').notNullable();
      table.text('oidc_sub');
      table.text('fact_id');
      table.bigInteger('feed_wall');
      table.integer('feed_ctr');
      table.text('source').notNullable();
      table.text('attested_key_id');
      table.bigInteger('ts_ms').notNullable();
      table.text('detail');
      table.index(['tenant_id', 'ts_ms'], 'audit_entries_time');
      table.index(['tenant_id', 'entity_uri', 'ts_ms'], 'audit_entries_entity');
      table.index(['feed_wall', 'feed_ctr'], 'audit_entries_fact');
    });
  },
};

export const auditMigrations: readonly Migration[] = [factAudit, separateEntries, linkEntries];
