import type { Migration } from '../../kernel/plugin-api.ts';

/**
 * One row for each version of a rule, removals included, so that a read of the past can apply the rules of that time.
 */
export const VERSIONS = 'relations_versions';

export const relationsMigrations: readonly Migration[] = [
  {
    number: 31,
    name: 'relations',
    async up({ schema }) {
      await schema.createTable(VERSIONS, (table) => {
        table.text('tenant_id').notNullable();
        table.text('pattern_key').notNullable();
        table.bigInteger('since_wall').notNullable();
        table.integer('since_ctr').notNullable();
        table.text('pattern').notNullable();
        table.text('held').notNullable();
        table.text('value_type');
        table.integer('removed').notNullable();
        table.text('set_by').notNullable();
        table.bigInteger('set_ms').notNullable();
        table.primary(['tenant_id', 'pattern_key', 'since_wall', 'since_ctr']);
      });
    },
  },
];
