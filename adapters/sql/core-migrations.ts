import { randomUUID } from 'node:crypto';
import {
  DEFAULT_TENANT,
  type ExpectedRows,
  type MigrationSchema,
  type OwnedMigration,
  type SchemaDialect,
} from '../../ports/ports.ts';
import { INDEXED_CID, indexedPartSql } from './fact-field-columns.ts';
import { FACTS_TABLE, feedEntryTable, permittedWithRedaction } from './fact-table.ts';
import { createOneRowMigration } from './one-row/one-row-migration.ts';
import { recordTime } from './record-time.ts';
import { REMOVED_TENANTS_TABLE, TENANT_IS_REMOVED } from './remove-tenant.ts';
import { separatePlaces } from './separate-places.ts';

/**
 * The core's part of the schema. Type names are those that PostgreSQL knows and to which SQLite gives the right
 * affinity. Text is compared by bytes on both.
 */
export const CORE_MIGRATIONS: readonly OwnedMigration[] = [
  { owner: 'core', number: 1, name: 'init', up: (schema) => runAll(schema, initialTables(schema.dialect)) },
  {
    owner: 'core',
    number: 11,
    name: 'facts_garden_attested',
    up: (schema) => runAll(schema, gardensAndAttestation(schema.dialect)),
  },
  { owner: 'core', number: 12, name: 'multi_tenant', up: (schema) => addTenants(schema) },
  { owner: 'core', number: 17, name: 'leases', up: (schema) => runAll(schema, leaseTable(schema.dialect)) },
  { owner: 'core', number: 28, name: 'places', up: (schema) => separatePlaces(schema) },
  { owner: 'core', number: 34, name: 'facts_by_session', up: (schema) => runAll(schema, sessionIndex(schema.dialect)) },
  createOneRowMigration({ facts: 4_000, bytes: 16 * 1024 * 1024 }),
  {
    owner: 'core',
    number: 60,
    name: 'removed_tenants',
    up: (schema) => runAll(schema, removedTenants(schema.dialect)),
  },
  { owner: 'core', number: 62, name: 'feed_entries', up: (schema) => runAll(schema, feedEntryTable(schema.dialect)) },
  { owner: 'core', number: 63, name: 'redaction', up: (schema) => runAll(schema, redaction(schema.dialect)) },
  { owner: 'core', number: 78, name: 'record_time', up: (schema) => runAll(schema, recordTime(schema.dialect)) },
  { owner: 'core', number: 87, name: 'facts_by_garden', up: (schema) => runAll(schema, gardenIndex(schema.dialect)) },
];

const runAll = async (schema: MigrationSchema, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await schema.raw(statement);
};

const initialTables = (dialect: SchemaDialect): string[] => [
  ...factTables(dialect),
  ...nodeTables(dialect),
  ...dialect.freeze('facts'),
];

const factTables = (dialect: SchemaDialect): string[] => {
  const text = dialect.textType;
  return [
    `CREATE TABLE facts (
      ${dialect.insertionOrder}
      id ${text} NOT NULL,
      entity ${text} NOT NULL,
      entity_key ${text} NOT NULL,
      relation ${text} NOT NULL,
      relation_key ${text} NOT NULL,
      value_type ${text} NOT NULL,
      value_v ${text},
      value_key ${text} NOT NULL,
      interpret_as ${text} NOT NULL,
      source ${text} NOT NULL,
      source_key ${text} NOT NULL,
      timestamp ${text} NOT NULL,
      timestamp_ms BIGINT NOT NULL,
      confidence DOUBLE PRECISION NOT NULL,
      scope ${text} NOT NULL,
      valid_until ${text},
      valid_until_ms BIGINT,
      cid ${text} NOT NULL,
      derived_from ${text},
      system SMALLINT NOT NULL,
      session_id ${text},
      asserted_by ${text},
      received_from ${text},
      origin_node_id ${text},
      hlc_wall BIGINT NOT NULL,
      hlc_ctr INTEGER NOT NULL,
      hlc_text ${text} NOT NULL,
      feed_wall BIGINT NOT NULL,
      feed_ctr INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX facts_by_id ON facts (id)',
    `CREATE TABLE feed (
      wall BIGINT NOT NULL,
      ctr INTEGER NOT NULL,
      kind ${text} NOT NULL,
      subject_id ${text} NOT NULL,
      PRIMARY KEY (wall, ctr)
    )${dialect.keyOrder}`,
    `CREATE TABLE fact_covers (
      fact_id ${text} NOT NULL PRIMARY KEY,
      kind ${text} NOT NULL,
      entity_key ${text} NOT NULL,
      relation_key ${text} NOT NULL,
      scope ${text} NOT NULL,
      hlc_wall BIGINT NOT NULL,
      hlc_ctr INTEGER NOT NULL
    )`,
    `CREATE TABLE fact_expiries (
      fact_id ${text} NOT NULL PRIMARY KEY,
      expires_ms BIGINT NOT NULL,
      hlc_wall BIGINT NOT NULL,
      hlc_ctr INTEGER NOT NULL
    )${dialect.keyOrder}`,
  ];
};

const nodeTables = (dialect: SchemaDialect): string[] => [
  `CREATE TABLE node_clock (
    id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    wall BIGINT NOT NULL,
    ctr INTEGER NOT NULL,
    epoch ${dialect.textType} NOT NULL
  )`,
  `INSERT INTO node_clock (id, wall, ctr, epoch) VALUES (1, 0, 0, '${randomUUID()}')`,
  `CREATE TABLE node_settings (
    key ${dialect.textType} NOT NULL PRIMARY KEY,
    value ${dialect.textType} NOT NULL
  )`,
];

const gardensAndAttestation = (dialect: SchemaDialect): string[] => [
  `ALTER TABLE facts ADD COLUMN garden_id ${dialect.textType}`,
  'ALTER TABLE facts ADD COLUMN attested SMALLINT',
  `ALTER TABLE facts ADD COLUMN attested_key_id ${dialect.textType}`,
  `ALTER TABLE fact_covers ADD COLUMN garden_id ${dialect.textType}`,
];

/**
 * Which process does work that only one of them should do. Rows of the running processes: no part of what a node knows.
 */
const leaseTable = (dialect: SchemaDialect): string[] => [
  `CREATE TABLE leases (
    name ${dialect.textType} NOT NULL PRIMARY KEY,
    holder ${dialect.textType} NOT NULL,
    fence BIGINT NOT NULL,
    until_ms BIGINT NOT NULL
  )`,
];

/** Facts of a tenant can be deleted once it is listed here, and no others. */
const removedTenants = (dialect: SchemaDialect): string[] => [
  `CREATE TABLE ${REMOVED_TENANTS_TABLE} (id ${dialect.textType} NOT NULL PRIMARY KEY)`,
  ...dialect.permitDeletes(FACTS_TABLE, TENANT_IS_REMOVED),
];

/** The node's own record belongs to no tenant. */
const isNodeTable = (table: string): boolean => table.startsWith('node_');

const addTenants = async (schema: MigrationSchema): Promise<void> => {
  for (const table of await schema.tables()) {
    if (isNodeTable(table) || (await schema.hasColumn(table, 'tenant_id'))) continue;
    await schema.raw(
      `ALTER TABLE "${table}" ADD COLUMN tenant_id ${schema.dialect.textType} NOT NULL DEFAULT '${DEFAULT_TENANT}'`,
    );
  }
  await runAll(schema, TENANT_INDEXES);
  await runAll(schema, schema.dialect.expectRows(EXPECTED_ROWS));
};

/** Every insert pays for each of these: measure before you add one. */
const TENANT_INDEXES: readonly string[] = [
  'CREATE INDEX facts_by_triple ON facts (tenant_id, entity_key, relation_key, scope, confidence, hlc_wall, hlc_ctr)',
  `CREATE INDEX facts_by_cid ON facts (${indexedPartSql('cid', INDEXED_CID)})`,
  'CREATE INDEX facts_by_timestamp ON facts (tenant_id, timestamp_ms, id)',
  'CREATE INDEX facts_by_source ON facts (tenant_id, source_key)',
  'CREATE INDEX fact_covers_by_triple ON fact_covers (tenant_id, entity_key, relation_key, scope, hlc_wall, hlc_ctr)',
];

/** Facts of one session; a fact without a session costs nothing here. */
const sessionIndex = (dialect: SchemaDialect): string[] => [
  'CREATE INDEX facts_by_session ON facts (tenant_id, session_id) WHERE session_id IS NOT NULL',
  ...dialect.expectRows([['facts', 'facts_by_session', '100000 100000 50']]),
];

/** Facts of one garden by time, and whether there is any in a garden at all; a fact outside gardens costs nothing. */
const gardenIndex = (dialect: SchemaDialect): string[] => [
  `CREATE INDEX facts_by_garden ON facts (tenant_id, garden_id, timestamp_ms, id) WHERE garden_id IS NOT NULL`,
  ...dialect.expectRows([['facts', 'facts_by_garden', '200000 200000 2000 2 1']]),
];

/** Finds the facts that refer to others, which are few, and lets references to erased facts be redacted. */
const redaction = (dialect: SchemaDialect): string[] => [
  'CREATE INDEX facts_with_references ON facts (tenant_id, number) WHERE derived_from IS NOT NULL',
  ...dialect.expectRows([['facts', 'facts_with_references', '100000 100000 1']]),
  ...dialect.refreeze(FACTS_TABLE, permittedWithRedaction(dialect)),
];

/**
 * What SQLite's planner is told to expect, in place of statistics that nobody would keep fresh: one tenant with many
 * facts, few of them to an entity. Left to its defaults it would rather walk all facts by time than sort those of one
 * entity.
 */
const EXPECTED_ROWS: ExpectedRows = [
  ['facts', 'facts_by_id', '1000000 1'],
  ['facts', 'facts_by_triple', '1000000 1000000 20 5 4 3 1 1'],
  ['facts', 'facts_by_cid', '1000000 1'],
  ['facts', 'facts_by_timestamp', '1000000 1000000 2 1'],
  ['facts', 'facts_by_source', '1000000 1000000 5000'],
  ['feed', 'feed', '1000000 2 1'],
  ['fact_covers', 'fact_covers_by_triple', '10000 10000 2 2 2 1 1'],
  ['fact_covers', 'sqlite_autoindex_fact_covers_1', '10000 1'],
  ['fact_expiries', 'fact_expiries', '10000 1'],
];
