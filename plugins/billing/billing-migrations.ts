import type { Migration } from '../../kernel/plugin-api.ts';

export const billingMigrations: readonly Migration[] = [
  {
    number: 14,
    name: 'billing',
    async up({ schema }) {
      await schema.createTable('billing_gardens', (table) => {
        table.text('tenant_id').notNullable();
        // A fraction between the numbers of the previous and the next fact, which are integers.
        table.double('seq').notNullable();
        table.text('entity_uri').notNullable();
        table.text('garden_id').notNullable();
        table.bigInteger('ts_ms').notNullable();
        table.primary(['tenant_id', 'seq']);
      });
      await schema.createTable('billing_positions', (table) => {
        table.text('tenant_id').primary();
        table.double('seq').notNullable();
        table.bigInteger('facts').notNullable();
      });
    },
  },
];
