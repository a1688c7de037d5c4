import type { Migration } from '../../kernel/plugin-api.ts';

/** Each edge pays for both indexes: with the order of a walk in them they would cost it twice as much, and spare hubs a sort. */
export const graphMigrations: readonly Migration[] = [
  {
    number: 19,
    name: 'graph_edges',
    async up({ schema }) {
      await schema.createTable('graph_edges', (table) => {
        table.text('tenant_id').notNullable();
        table.text('fact_id').notNullable();
        table.text('subject_key').notNullable();
        table.text('object_key').notNullable();
        table.text('relation_key').notNullable();
        table.text('scope').notNullable();
        table.text('garden_id');
        table.double('confidence').notNullable();
        table.index(['tenant_id', 'subject_key'], 'graph_edges_from');
        table.index(['tenant_id', 'object_key'], 'graph_edges_to');
      });
      await schema.createTable('graph_progress', (table) => {
        table.integer('id').primary();
        table.bigInteger('feed_wall').notNullable();
        table.bigInteger('feed_ctr').notNullable();
      });
    },
  },
];
