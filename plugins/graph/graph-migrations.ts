import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const graphMigrations: readonly Migration[] = [
  {
    number: 19,
    name: 'graph',
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
        // The position of the edge among those of its subject, and among those of its object.
        table.text('from_order').notNullable();
        table.text('to_order').notNullable();
        // 1 once the fact has ended for every caller and for good.
        table.smallint('is_over').notNullable();
        // The feed stamp of the fact.
        table.bigInteger('feed_wall').notNullable();
        table.bigInteger('feed_ctr').notNullable();
        // Each index slows every write. But without the order in the first two, each page of an entity with very many
        // edges would sort all of them. Without the third, a change of one edge would read all edges of its subject.
        table.index(['tenant_id', 'subject_key', 'is_over', 'from_order'], 'graph_edges_outward');
        table.index(['tenant_id', 'object_key', 'is_over', 'to_order'], 'graph_edges_inward');
        table.index(['tenant_id', 'fact_id'], 'graph_edges_by_fact');
      });
      await schema.createTable('graph_progress', (table) => {
        table.integer('id').primary();
        table.bigInteger('feed_wall').notNullable();
        table.bigInteger('feed_ctr').notNullable();
      });
    },
  },
];

export const graphContents: readonly ContentColumns[] = [
  { table: 'graph_edges', key: ['tenant_id', 'fact_id'], hidden: ['object_key'], isDerived: true },
  { table: 'graph_progress', key: ['id'], isDerived: true },
];
