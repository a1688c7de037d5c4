import type { Migration } from '../../kernel/plugin-api.ts';

/** How often each fact was recalled. */
export const ACCESS_TABLE = 'recall_access';
/** The highest of these counts in each part of a tenant's facts that somebody may be kept out of. */
export const PEAKS_TABLE = 'recall_access_peaks';
/** Vectors of facts, as the index holds them. */
export const VECTORS_TABLE = 'recall_vectors';
/** How far along the feed each embedder has come. */
export const EMBEDDERS_TABLE = 'recall_embedders';

export const recallMigrations: readonly Migration[] = [
  {
    number: 20,
    name: 'recall',
    async up({ schema, dialect }) {
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
      await schema.createTable(VECTORS_TABLE, (table) => {
        if (dialect === 'sqlite') table.specificType('seq', 'integer primary key autoincrement');
        else table.bigIncrements('seq');
        table.text('tenant_id').notNullable();
        table.text('fact_id').notNullable();
        table.text('embedder').notNullable();
        table.double('scale').notNullable();
        table.binary('code').notNullable();
        table.index(['embedder', 'seq'], 'recall_vectors_embedder');
      });
      await schema.createTable(EMBEDDERS_TABLE, (table) => {
        table.text('embedder').primary();
        table.bigInteger('feed_wall').notNullable();
        table.integer('feed_ctr').notNullable();
        table.bigInteger('used_ms').notNullable();
      });
    },
  },
];
