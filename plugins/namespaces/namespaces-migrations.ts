import type { Migration } from '../../kernel/plugin-api.ts';

export const RULES = 'namespaces_rules';

/** One row for each tenant that ever had rules: a random version that changes with the rules. */
export const VERSIONS = 'namespaces_versions';

export const namespacesMigrations: readonly Migration[] = [
  {
    number: 28,
    name: 'namespaces',
    async up({ schema }) {
      await schema.createTable(RULES, (table) => {
        table.text('tenant_id').notNullable();
        table.text('pattern_key').notNullable();
        table.text('pattern').notNullable();
        // A JSON list of entities.
        table.text('owners').notNullable();
        table.integer('owner_count').notNullable();
        table.text('set_by').notNullable();
        table.bigInteger('set_ms').notNullable();
        table.text('seal').notNullable();
        table.primary(['tenant_id', 'pattern_key']);
      });
      await schema.createTable(VERSIONS, (table) => {
        table.text('tenant_id').notNullable();
        table.text('version').notNullable();
        table.primary(['tenant_id']);
      });
    },
  },
];
