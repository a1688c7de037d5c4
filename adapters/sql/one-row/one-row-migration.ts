import type { MigrationSchema, OwnedMigration } from '../../../ports/ports.ts';
import {
  createFactTable,
  createLedgerTable,
  FACT_INDEXES,
  FACT_ROWS,
  FACTS_TABLE,
  PERMITTED_CHANGE,
} from '../fact-table.ts';

/** From here on a fact is one row: its entry in the feed, in the ledger and in the chain among it. */
export const oneRowMigration: OwnedMigration = {
  owner: 'core',
  number: 42,
  name: 'one_row',
  up: (schema) => makeTables(schema),
};

const makeTables = async (schema: MigrationSchema): Promise<void> => {
  const { dialect } = schema;
  const statements = [
    'DROP TABLE facts',
    'DROP TABLE feed',
    createFactTable(dialect, FACTS_TABLE),
    createLedgerTable(dialect),
    ...FACT_INDEXES,
    ...dialect.freezeUnless(FACTS_TABLE, PERMITTED_CHANGE),
    ...lifetimeTables(dialect.textType, dialect.keyOrder),
    ...dialect.expectRows(FACT_ROWS),
  ];
  for (const statement of statements) await schema.raw(statement);
};

/** What ends facts, by tenant and fact. */
const lifetimeTables = (text: string, keyOrder: string): string[] => [
  'DROP TABLE fact_covers',
  'DROP TABLE fact_expiries',
  `CREATE TABLE fact_covers (
    tenant_id ${text} NOT NULL,
    fact_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    entity_key ${text} NOT NULL,
    relation_key ${text} NOT NULL,
    scope ${text} NOT NULL,
    place ${text} NOT NULL,
    hlc_wall BIGINT NOT NULL,
    hlc_ctr INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, fact_id)
  )`,
  `CREATE INDEX fact_covers_by_triple ON fact_covers
    (tenant_id, entity_key, relation_key, scope, place, hlc_wall, hlc_ctr)`,
  `CREATE TABLE fact_expiries (
    tenant_id ${text} NOT NULL,
    fact_id ${text} NOT NULL,
    expires_ms BIGINT NOT NULL,
    hlc_wall BIGINT NOT NULL,
    hlc_ctr INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, fact_id)
  )${keyOrder}`,
];
