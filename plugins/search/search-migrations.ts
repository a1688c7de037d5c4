import type { Migration, SqlValue } from '../../kernel/plugin-api.ts';

/** Vectors of facts, as the index holds them. */
export const VECTORS_TABLE = 'search_vectors';
/** How far along the feed each embedder has come. */
export const EMBEDDERS_TABLE = 'search_embedders';
/** How far each process is with another build of its index of words. */
export const REBUILDS_TABLE = 'search_rebuilds';
/** The same tables in stores from when they belonged to the plugin `recall`. */
const RECALL_VECTORS = 'recall_vectors';
const RECALL_EMBEDDERS = 'recall_embedders';

export const searchMigrations: readonly Migration[] = [
  {
    number: 41,
    name: 'search',
    takesOver: [RECALL_VECTORS, RECALL_EMBEDDERS],
    async up({ schema, dialect }) {
      if (await schema.hasTable(RECALL_VECTORS)) {
        // Making vectors again may cost days and money, so they move with their table.
        await schema.renameTable(RECALL_VECTORS, VECTORS_TABLE);
        await schema.renameTable(RECALL_EMBEDDERS, EMBEDDERS_TABLE);
        await schema.alterTable(VECTORS_TABLE, (table) => {
          table.dropIndex([], 'recall_vectors_embedder');
          table.index(['embedder', 'seq'], 'search_vectors_embedder');
        });
        return;
      }
      await schema.createTable(VECTORS_TABLE, (table) => {
        dialect.numberRows(table, 'seq', { deletesRows: true });
        table.text('tenant_id').notNullable();
        table.text('fact_id').notNullable();
        table.text('embedder').notNullable();
        table.double('scale').notNullable();
        table.binary('code').notNullable();
        table.index(['embedder', 'seq'], 'search_vectors_embedder');
      });
      await schema.createTable(EMBEDDERS_TABLE, (table) => {
        table.text('embedder').primary();
        table.bigInteger('feed_wall').notNullable();
        table.integer('feed_ctr').notNullable();
        table.bigInteger('used_ms').notNullable();
      });
    },
  },
  {
    number: 55,
    name: 'vectors_of_tenants',
    up: ({ setPrimaryKey }) => setPrimaryKey(VECTORS_TABLE, ['tenant_id', 'seq']),
  },
  {
    number: 71,
    name: 'vectors_by_fact',
    // For erasures.
    up: ({ raw }) => raw(`CREATE INDEX search_vectors_fact ON ${VECTORS_TABLE} (tenant_id, fact_id)`),
  },
  {
    number: 85,
    name: 'vector_generations',
    async up({ schema, data }) {
      await schema.alterTable(EMBEDDERS_TABLE, (table) => {
        // The embedder that made the vectors; `embedder` names the generation, under which they are stored.
        table.text('made_by').notNullable().defaultTo('');
        table.integer('text_version').notNullable().defaultTo(1);
        table.integer('number').notNullable().defaultTo(1);
        table.text('state').notNullable().defaultTo('complete');
        // Facts from before the generation was begun: how far they were embedded, and where they end.
        table.bigInteger('backlog_wall');
        table.integer('backlog_ctr');
        table.bigInteger('goal_wall');
        table.integer('goal_ctr');
        table.bigInteger('done').notNullable().defaultTo(0);
        table.bigInteger('total').notNullable().defaultTo(0);
        table.bigInteger('begun_ms');
        table.bigInteger('completed_ms');
        table.text('error');
      });
      const rows = (await data.table(EMBEDDERS_TABLE).select()) as Record<string, SqlValue>[];
      for (const { embedder, used_ms, feed_wall } of rows) {
        // Some vectors of those that are back at the start of the feed were removed already.
        const state = Number(feed_wall) === 0 ? 'leaving' : 'complete';
        await data
          .table(EMBEDDERS_TABLE)
          .where({ embedder })
          .update({ made_by: embedder, completed_ms: used_ms, state });
      }
    },
  },
  {
    number: 86,
    name: 'search_rebuilds',
    async up({ schema }) {
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
