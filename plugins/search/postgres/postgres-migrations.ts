import type { Knex } from 'knex';
import type { Migration } from '../../../kernel/plugin-api.ts';
import { createEmbeddersTable } from '../search-migrations.ts';
import {
  COVERS_TABLE,
  EMBEDDERS_TABLE,
  FACTS_TABLE,
  PARTS_TABLE,
  SIGNS_TABLE,
  STATE_TABLE,
  VECTORS_TABLE,
  WORDS_TABLE,
} from './postgres-tables.ts';
import { requirePgvector } from './require-pgvector.ts';

export const postgresMigrations: readonly Migration[] = [
  {
    number: 33,
    name: 'search_postgres',
    async up({ schema, dialect, data }) {
      await requirePgvector(() => data.table(STATE_TABLE));
      await schema.createTable(STATE_TABLE, (table) => {
        table.integer('id').primary();
        table.text('seed').notNullable();
        table.integer('tokenizer').notNullable();
        stamp(table, 'feed').notNullable();
      });
      await schema.createTable(PARTS_TABLE, (table) => {
        table.bigIncrements('part');
        table.text('tenant_id').notNullable();
        table.text('scope').notNullable();
        table.text('place').notNullable();
        table.bigInteger('documents').notNullable().defaultTo(0);
        table.bigInteger('length').notNullable().defaultTo(0);
        // A bit for each language of the part's texts.
        table.bigInteger('languages').notNullable().defaultTo(0);
        table.unique(['tenant_id', 'scope', 'place'], { indexName: 'search_postgres_parts_name' });
      });
      await schema.createTable(FACTS_TABLE, createFactColumns);
      await schema.createTable(WORDS_TABLE, createWordColumns);
      await schema.createTable(COVERS_TABLE, createCoverColumns);
      await schema.createTable(VECTORS_TABLE, (table) => createVectorColumns(table, dialect));
      await schema.createTable(SIGNS_TABLE, createSignColumns);
      await createEmbeddersTable(schema, EMBEDDERS_TABLE);
    },
  },
];

/** Adds the two columns of a stamp. Returns a builder that applies further constraints to both. */
const stamp = (table: Knex.CreateTableBuilder, name: string) => {
  const columns = [table.bigInteger(`${name}_wall`), table.specificType(`${name}_ctr`, 'integer')];
  return { notNullable: () => columns.forEach((column) => void column.notNullable()) };
};

/** Words and vectors refer to a fact by its feed stamp, which is shorter than its id and sorts in feed order. */
const createFactColumns = (table: Knex.CreateTableBuilder): void => {
  table.text('tenant_id').notNullable();
  table.text('fact_id').notNullable();
  table.bigInteger('part').notNullable();
  stamp(table, 'feed').notNullable();
  stamp(table, 'hlc').notNullable();
  table.double('begins_ms').notNullable();
  // The earlier of the fact's own expiry and the expiry by its time-to-live.
  table.double('expires_ms').notNullable();
  table.double('limit_ms').notNullable();
  // The feed stamp of the time-to-live, and whether the fact had expired when it was set.
  stamp(table, 'ttl');
  table.smallint('is_late').notNullable();
  stamp(table, 'ended');
  table.double('confidence').notNullable();
  // Hashes of the keys.
  table.bigInteger('entity').notNullable();
  table.bigInteger('relation').notNullable();
  table.bigInteger('speaker').notNullable();
  table.bigInteger('session');
  table.bigInteger('source').notNullable();
  table.bigInteger('asserter').notNullable();
  // The beginning of the fact, or its timestamp without one.
  table.double('speaks_of_ms').notNullable();
  table.bigInteger('length').notNullable();
  table.primary(['tenant_id', 'fact_id'], { constraintName: 'search_postgres_facts_id' });
  table.index(['part', 'feed_wall', 'feed_ctr'], 'search_postgres_facts_feed');
  table.index(['part', 'entity', 'relation'], 'search_postgres_facts_triple');
  table.index(['session', 'part', 'feed_wall', 'feed_ctr'], 'search_postgres_facts_session');
};

/** The index contains every column that a search reads, so that all postings of a term are read from one place. */
const createWordColumns = (table: Knex.CreateTableBuilder): void => {
  table.text('tenant_id').notNullable();
  table.specificType('part', 'integer').notNullable();
  table.bigInteger('term').notNullable();
  stamp(table, 'feed').notNullable();
  table.smallint('times').notNullable();
  table.smallint('norm').notNullable();
  table.index(['part', 'term', 'feed_wall', 'feed_ctr', 'times', 'norm'], 'search_postgres_words_term');
};

const createCoverColumns = (table: Knex.CreateTableBuilder): void => {
  table.text('tenant_id').notNullable();
  table.bigInteger('part').notNullable();
  table.bigInteger('entity').notNullable();
  table.bigInteger('relation').notNullable();
  // 0 to end the facts of all speakers; otherwise the hash of one speaker, or of the name of one fact.
  table.bigInteger('reach').notNullable();
  stamp(table, 'hlc').notNullable();
  stamp(table, 'since').notNullable();
  table.primary(['part', 'entity', 'relation', 'reach'], { constraintName: 'search_postgres_covers_key' });
};

type SchemaDialect = Parameters<Migration['up']>[0]['dialect'];

/** Components are integers, which `halfvec` represents exactly; `scale` is their common factor. */
const createVectorColumns = (table: Knex.CreateTableBuilder, dialect: SchemaDialect): void => {
  dialect.numberRows(table, 'seq');
  table.text('tenant_id').notNullable();
  table.text('fact_id').notNullable();
  table.text('embedder').notNullable();
  stamp(table, 'feed').notNullable();
  table.double('scale').notNullable();
  table.specificType('code', 'halfvec').notNullable();
  table.index(['tenant_id', 'fact_id'], 'search_postgres_vectors_fact');
  table.index(['feed_wall', 'feed_ctr'], 'search_postgres_vectors_feed');
};

/** A row never changes: everything that may change is in the row of the fact. */
const createSignColumns = (table: Knex.CreateTableBuilder): void => {
  table.text('tenant_id').notNullable();
  // The hash of tenant, scope and place. It is stored here because a vector may exist before its fact has a part.
  table.bigInteger('realm').notNullable();
  // A hash of the fact. The rows with the lowest values of a realm are an even sample.
  table.bigInteger('lot').notNullable();
  stamp(table, 'feed').notNullable();
  table.text('embedder').notNullable();
  table.specificType('signs', 'bit varying').notNullable();
  table.index(['realm', 'lot'], 'search_postgres_signs_lot');
  table.index(['feed_wall', 'feed_ctr'], 'search_postgres_signs_feed');
};
