import { randomUUID } from 'node:crypto';
import type { ExpectedRows, SchemaDialect } from '../../ports/ports.ts';
import {
  createDestructionTable,
  createFactTable,
  createFeedEntryTable,
  createLedgerTable,
  FACTS_TABLE,
  factIndexes,
  permittedUpdate,
} from './fact-table.ts';
import { createPastExpiryTable } from './record-time.ts';
import { REMOVED_TENANTS_TABLE, TENANT_IS_REMOVED } from './remove-tenant.ts';

/**
 * Returns the statements that create the tables of the core. PostgreSQL knows their type names, and SQLite derives the
 * right affinity from them. Both compare text by bytes.
 */
export const coreTables = (dialect: SchemaDialect): readonly string[] => [
  createFactTable(dialect),
  ...factIndexes,
  createLedgerTable(dialect),
  ...createFeedEntryTable(dialect),
  ...lifetimeTables(dialect),
  ...nodeTables(dialect),
  createLeaseTable(dialect),
  createDestructionTable(dialect),
  ...dialect.freeze(FACTS_TABLE, { updates: permittedUpdate(dialect), deletes: TENANT_IS_REMOVED }),
  ...dialect.expectRows(EXPECTED_ROWS),
];

/**
 * Covers and expiries, which end facts. Keys begin with the tenant, so that a database can shard the tables by tenant.
 * `speaker` is an empty text in a cover that ends the facts of all. Covers that end one named fact have a table of
 * their own, because they are found by the name of the fact and all others by their triple.
 */
const lifetimeTables = (dialect: SchemaDialect): readonly string[] => [
  `CREATE TABLE fact_covers (
    ${coverColumns(dialect)},
    PRIMARY KEY (tenant_id, fact_id)
  )`,
  `CREATE INDEX fact_covers_by_triple ON fact_covers
    (tenant_id, entity_key, relation_key, scope, place, speaker, hlc_wall, hlc_ctr)`,
  `CREATE TABLE fact_named_covers (
    ${coverColumns(dialect)},
    named_id ${dialect.textType} NOT NULL,
    named_origin ${dialect.textType} NOT NULL,
    is_own SMALLINT NOT NULL,
    PRIMARY KEY (tenant_id, fact_id, named_id, named_origin)
  )`,
  'CREATE INDEX fact_named_covers_by_name ON fact_named_covers (tenant_id, named_id)',
  `CREATE TABLE fact_expiries (
    tenant_id ${dialect.textType} NOT NULL,
    fact_id ${dialect.textType} NOT NULL,
    expires_ms BIGINT NOT NULL,
    hlc_wall BIGINT NOT NULL,
    hlc_ctr INTEGER NOT NULL,
    since_wall BIGINT NOT NULL,
    since_ctr INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, fact_id)
  )${dialect.keyOrder}`,
  ...createPastExpiryTable(dialect),
];

const coverColumns = ({ textType }: SchemaDialect): string => `tenant_id ${textType} NOT NULL,
    fact_id ${textType} NOT NULL,
    kind ${textType} NOT NULL,
    asserted_by ${textType},
    entity_key ${textType} NOT NULL,
    relation_key ${textType} NOT NULL,
    scope ${textType} NOT NULL,
    place ${textType} NOT NULL,
    speaker ${textType} NOT NULL,
    hlc_wall BIGINT NOT NULL,
    hlc_ctr INTEGER NOT NULL,
    since_wall BIGINT NOT NULL,
    since_ctr INTEGER NOT NULL`;

/** The tables about the node itself: its clock, its settings, and the ids of removed tenants. */
const nodeTables = ({ textType }: SchemaDialect): readonly string[] => [
  `CREATE TABLE node_clock (
    id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    wall BIGINT NOT NULL,
    ctr INTEGER NOT NULL,
    epoch ${textType} NOT NULL,
    floor_wall BIGINT NOT NULL,
    floor_ctr INTEGER NOT NULL
  )`,
  `INSERT INTO node_clock (id, wall, ctr, epoch, floor_wall, floor_ctr) VALUES (1, 0, 0, '${randomUUID()}', 0, 0)`,
  `CREATE TABLE node_settings (
    key ${textType} NOT NULL PRIMARY KEY,
    value ${textType} NOT NULL
  )`,
  `CREATE TABLE ${REMOVED_TENANTS_TABLE} (id ${textType} NOT NULL PRIMARY KEY)`,
];

/** Creates the table of leases, by which one of the running processes gets work that only one may do. */
const createLeaseTable = ({ textType }: SchemaDialect): string => `CREATE TABLE leases (
  name ${textType} NOT NULL PRIMARY KEY,
  holder ${textType} NOT NULL,
  fence BIGINT NOT NULL,
  until_ms BIGINT NOT NULL
)`;

/**
 * Row counts for SQLite's planner, because real statistics would become outdated: a tenant with many facts, few of them
 * per entity. By default, SQLite scans all facts by time instead of sorting those of one entity.
 */
const EXPECTED_ROWS: ExpectedRows = [
  [FACTS_TABLE, 'facts_by_number', '1000000 1000000 1'],
  [FACTS_TABLE, 'facts_by_id', '1000000 1000000 1'],
  [FACTS_TABLE, 'facts_by_feed', '1000000 1000000 20 1'],
  [FACTS_TABLE, 'facts_by_cid', '1000000 1000000 1'],
  [FACTS_TABLE, 'facts_by_triple', '1000000 1000000 20 5 4 4 3 1 1'],
  [FACTS_TABLE, 'facts_by_timestamp', '1000000 1000000 2 1'],
  [FACTS_TABLE, 'facts_by_source', '1000000 1000000 5000 1'],
  [FACTS_TABLE, 'facts_by_writer', '1000000 1000000 50000 1'],
  [FACTS_TABLE, 'facts_by_session', '100000 100000 50'],
  [FACTS_TABLE, 'facts_by_signer', '100000 100000 1'],
  [FACTS_TABLE, 'facts_by_subject', '100000 100000 5000 1'],
  [FACTS_TABLE, 'facts_by_garden', '200000 200000 2000 2 1'],
  [FACTS_TABLE, 'facts_by_origin_id', '1000 1000 2'],
  [FACTS_TABLE, 'facts_with_references', '100000 100000 1'],
  ['fact_covers', 'fact_covers_by_triple', '10000 10000 2 2 2 2 2 1 1'],
  ['fact_named_covers', 'fact_named_covers_by_name', '10000 10000 1'],
];
