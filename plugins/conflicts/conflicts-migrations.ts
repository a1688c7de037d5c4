import type { Migration } from '../../kernel/plugin-api.ts';

/** One open record per triple is guaranteed by the append lock; the unique column is the second guard. */
export const conflictsMigrations: readonly Migration[] = [
  {
    number: 15,
    name: 'conflict_records',
    async up({ schema }) {
      await schema.createTable('conflicts_records', (table) => {
        table.text('conflict_id').primary();
        table.text('tenant_id').notNullable();
        table.text('entity_key').notNullable();
        table.text('relation_key').notNullable();
        table.text('scope').notNullable();
        table.text('status').notNullable();
        table.bigInteger('detected_ms').notNullable();
        table.text('resolved_by');
        // Digest of the triple while the record is open, null afterwards: unique values, and any number of nulls.
        table.text('open_triple').unique();
        // 1 once everybody who can see the members can see the resolution: such a record hides nothing any more.
        table.integer('settled').notNullable();
        table.index(['tenant_id', 'entity_key', 'relation_key', 'scope'], 'conflicts_records_triple');
        table.index(['tenant_id', 'detected_ms', 'conflict_id'], 'conflicts_records_newest');
        table.index(['tenant_id', 'settled', 'entity_key'], 'conflicts_records_unsettled');
      });
      await schema.createTable('conflicts_members', (table) => {
        table.text('conflict_id').notNullable();
        table.text('fact_id').notNullable();
        table.primary(['conflict_id', 'fact_id']);
      });
    },
  },
  {
    number: 27,
    name: 'conflict_gardens',
    async up({ schema }) {
      await schema.alterTable('conflicts_records', (table) => {
        // Gardens that the contradiction is between, sorted, with a space between them.
        table.text('gardens').notNullable().defaultTo('');
      });
    },
  },
];
