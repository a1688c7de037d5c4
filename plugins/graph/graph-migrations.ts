import type { Migration } from '../../kernel/plugin-api.ts';

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
  {
    number: 33,
    name: 'graph_ordered_edges',
    async up({ schema }) {
      // Edges follow from facts: they are gathered anew, along the feed.
      await schema.dropTable('graph_edges');
      await schema.dropTable('graph_progress');
      await schema.createTable('graph_edges', (table) => {
        table.text('tenant_id').notNullable();
        table.text('fact_id').notNullable();
        table.text('subject_key').notNullable();
        table.text('object_key').notNullable();
        table.text('relation_key').notNullable();
        table.text('scope').notNullable();
        table.text('garden_id');
        table.double('confidence').notNullable();
        // The order of its edges for who stands at the subject, and at the object.
        table.text('from_order').notNullable();
        table.text('to_order').notNullable();
        // 1 once the fact is over for everybody and for ever.
        table.smallint('is_over').notNullable();
        // Each edge pays for both; without the order in them a hub would be sorted for every page.
        table.index(['tenant_id', 'subject_key', 'is_over', 'from_order'], 'graph_edges_outward');
        table.index(['tenant_id', 'object_key', 'is_over', 'to_order'], 'graph_edges_inward');
      });
      await schema.createTable('graph_progress', (table) => {
        table.integer('id').primary();
        table.bigInteger('feed_wall').notNullable();
        table.bigInteger('feed_ctr').notNullable();
      });
    },
  },
  {
    number: 81,
    name: 'graph_edge_stamps',
    async up({ schema }) {
      // When the fact was recorded, by its stamp in the feed. Null for the edges that are there already.
      await schema.alterTable('graph_edges', (table) => {
        table.bigInteger('feed_wall');
        table.bigInteger('feed_ctr');
      });
    },
  },
];
