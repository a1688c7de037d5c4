import type { Migration } from '../../kernel/plugin-api.ts';

/** How often each fact was recalled. */
export const ACCESS_TABLE = 'recall_access';
/** The highest of these counts in each part of a tenant's facts that somebody may be kept out of. */
export const PEAKS_TABLE = 'recall_access_peaks';
/** The first releases also made the tables of vectors here, which the plugin `search` takes over. */
export const recallMigrations: readonly Migration[] = [
  {
    number: 20,
    name: 'recall',
    async up({ schema }) {
      await schema.createTable(ACCESS_TABLE, (table) => {
        table.text('fact_id').primary();
        table.text('tenant_id').notNullable();
        table.bigInteger('count').notNullable();
      });
      await schema.createTable(PEAKS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('scope').notNullable();
        // Empty for facts outside gardens: a key has no null.
        table.text('garden_id').notNullable();
        table.bigInteger('count').notNullable();
        table.primary(['tenant_id', 'scope', 'garden_id']);
      });
    },
  },
  {
    number: 52,
    name: 'recalls_of_tenants',
    up: ({ setPrimaryKey }) => setPrimaryKey(ACCESS_TABLE, ['tenant_id', 'fact_id']),
  },
];
