import type { Migration } from '../../kernel/plugin-api.ts';

/**
 * Events of a tenant are numbered in the order of their instants, so one index lists them and finds those not yet
 * delivered.
 */
export const billingMigrations: readonly Migration[] = [
  {
    number: 14,
    name: 'billing_events',
    async up({ schema, dialect }) {
      await schema.createTable('billing_events', (table) => {
        dialect.numberRows(table, 'seq', { deletesRows: false });
        table.text('tenant_id').notNullable();
        table.text('event_type').notNullable();
        table.text('entity_uri').notNullable();
        table.text('fact_id');
        table.text('garden_id');
        table.bigInteger('ts_ms').notNullable();
        table.index(['tenant_id', 'seq'], 'billing_events_tenant');
      });
      await schema.createTable('billing_positions', (table) => {
        table.text('tenant_id').primary();
        table.bigInteger('seq').notNullable();
      });
    },
  },
];
