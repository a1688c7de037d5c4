import type { Migration } from '../../kernel/plugin-api.ts';

/** One index lists by time, the other finds what was not yet delivered; both grow at their end. */
export const billingMigrations: readonly Migration[] = [
  {
    number: 14,
    name: 'billing_events',
    async up({ schema }) {
      await schema.createTable('billing_events', (table) => {
        table.bigIncrements('seq');
        table.text('tenant_id').notNullable();
        table.text('event_type').notNullable();
        table.text('entity_uri').notNullable();
        table.text('fact_id');
        table.text('garden_id');
        table.bigInteger('ts_ms').notNullable();
        table.index(['tenant_id', 'ts_ms', 'seq'], 'billing_events_time');
        table.index(['tenant_id', 'seq'], 'billing_events_delivery');
      });
      await schema.createTable('billing_positions', (table) => {
        table.text('tenant_id').primary();
        table.bigInteger('seq').notNullable();
      });
    },
  },
];
