import type { Migration } from '../../kernel/plugin-api.ts';

/** The number of recalls of each fact. */
export const ACCESS_TABLE = 'recall_access';
/** The highest of these counts in each scope and garden, because a caller may not see all of them. */
export const PEAKS_TABLE = 'recall_access_peaks';

export const recallMigrations: readonly Migration[] = [
  {
    number: 20,
    name: 'recall',
    async up({ schema }) {
      await schema.createTable(ACCESS_TABLE, (table) => {
        table.text('fact_id').notNullable();
        table.text('tenant_id').notNullable();
        table.bigInteger('count').notNullable();
        table.primary(['tenant_id', 'fact_id']);
      });
      await schema.createTable(PEAKS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('scope').notNullable();
        // Empty for facts outside gardens, because a key column cannot be null.
        table.text('garden_id').notNullable();
        table.bigInteger('count').notNullable();
        table.primary(['tenant_id', 'scope', 'garden_id']);
      });
    },
  },
];
