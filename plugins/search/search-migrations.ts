import type { Knex } from 'knex';
import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

/** Vectors of facts, in the form that the index uses. */
export const VECTORS_TABLE = 'search_vectors';
/** The position in the feed that each generation of vectors has reached. */
export const EMBEDDERS_TABLE = 'search_embedders';
/** The progress of each process in a rebuild of its word index. */
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
        // Erasures look vectors up by fact.
        table.index(['tenant_id', 'fact_id'], 'search_vectors_fact');
      });
      await createEmbeddersTable(schema, EMBEDDERS_TABLE);
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

/** Creates the table of the generations of vectors. */
export const createEmbeddersTable = async (schema: Knex.SchemaBuilder, name: string): Promise<void> => {
  await schema.createTable(name, (table) => {
    // The name of the generation, which its vectors are stored under.
    table.text('embedder').primary();
    table.bigInteger('feed_wall').notNullable();
    table.integer('feed_ctr').notNullable();
    table.bigInteger('used_ms').notNullable();
    // The embedder that made the vectors.
    table.text('made_by').notNullable();
    table.integer('text_version').notNullable();
    table.integer('number').notNullable();
    table.text('state').notNullable();
    // The backlog: the position up to which older facts were embedded, and the end of these facts.
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
};

/** A vector tells the text that it was made from. */
export const searchContents: readonly ContentColumns[] = [
  { table: VECTORS_TABLE, key: ['tenant_id', 'fact_id', 'embedder'], bytes: ['code'], owner: { fact: 'fact_id' } },
  { table: EMBEDDERS_TABLE, key: ['embedder'], texts: ['error'] },
];
