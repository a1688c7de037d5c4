import type { Migration } from '../../kernel/plugin-api.ts';

/** Vectors of facts, as the index holds them. */
export const VECTORS_TABLE = 'search_vectors';
/** How far along the feed each generation of vectors has come. */
export const EMBEDDERS_TABLE = 'search_embedders';
/** How far each process is with another build of its index of words. */
export const REBUILDS_TABLE = 'search_rebuilds';

export const searchMigrations: readonly Migration[] = [
  {
    number: 16,
    name: 'search',
    async up({ schema, dialect }) {
      await schema.createTable(VECTORS_TABLE, (table) => {
        dialect.numberRows(table, 'seq');
        table.text('tenant_id').notNullable();
        table.text('fact_id').notNullable();
        table.text('embedder').notNullable();
        table.double('scale').notNullable();
        table.binary('code').notNullable();
        table.index(['embedder', 'seq'], 'search_vectors_embedder');
        // For erasures.
        table.index(['tenant_id', 'fact_id'], 'search_vectors_fact');
      });
      await schema.createTable(EMBEDDERS_TABLE, (table) => {
        // The name of the generation, under which its vectors are stored.
        table.text('embedder').primary();
        table.bigInteger('feed_wall').notNullable();
        table.integer('feed_ctr').notNullable();
        table.bigInteger('used_ms').notNullable();
        // The embedder that made the vectors.
        table.text('made_by').notNullable();
        table.integer('text_version').notNullable();
        table.integer('number').notNullable();
        table.text('state').notNullable();
        // Facts from before the generation was begun: how far they were embedded, and where they end.
        table.bigInteger('backlog_wall');
        table.integer('backlog_ctr');
        table.bigInteger('goal_wall');
        table.integer('goal_ctr');
        table.bigInteger('done').notNullable();
        table.bigInteger('total').notNullable();
        table.bigInteger('begun_ms');
        table.bigInteger('completed_ms');
        table.text('error');
      });
      await schema.createTable(REBUILDS_TABLE, (table) => {
        table.text('process').primary();
        table.text('build').notNullable();
        table.bigInteger('done').notNullable();
        table.bigInteger('total').notNullable();
        table.smallint('is_done').notNullable();
        table.bigInteger('seen_ms').notNullable();
      });
    },
  },
];
