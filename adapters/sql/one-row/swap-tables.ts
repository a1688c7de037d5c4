import type { MigrationSchema } from '../../../ports/ports.ts';
import {
  createFactTable,
  createLedgerTable,
  FACT_ROWS,
  FACTS_TABLE,
  factIndexes,
  LEDGERS_TABLE,
  PERMITTED_CHANGE,
} from '../fact-table.ts';
import { BILLING_INDEX, NEXT_FACTS, ROOM_TABLE } from './begin-copy.ts';
import { PLACE_TABLE } from './copy-place.ts';
import { keyByTenant } from './lifetime-tables.ts';
import { keepMissingFacts } from './missing-facts.ts';
import { NEXT_LEDGERS } from './next-ledgers.ts';
import { OLD_BILLING, OLD_LINKS, oldTables } from './old-tables.ts';

/** For a store without facts: makes the tables as they are from here on. */
export const makeEmptyTables = async (schema: MigrationSchema): Promise<void> => {
  const { dialect } = schema;
  await runAll(schema, [
    'DROP TABLE facts',
    createFactTable(dialect, FACTS_TABLE),
    ...factIndexes(FACTS_TABLE),
    createLedgerTable(dialect, LEDGERS_TABLE),
  ]);
  await finish(schema);
};

/** The tables of the copy take the place of the old ones. */
export const swapTables = async (schema: MigrationSchema): Promise<void> => {
  const { dialect } = schema;
  const old = await oldTables(schema);
  if (old.includes(OLD_LINKS)) await keepMissingFacts(schema);
  await runAll(schema, [
    ...old.flatMap((table) => dialect.admitInserts(table)),
    'DROP TABLE facts',
    `ALTER TABLE ${NEXT_FACTS} RENAME TO ${FACTS_TABLE}`,
    createLedgerTable(dialect, LEDGERS_TABLE),
    `INSERT INTO ${LEDGERS_TABLE} SELECT * FROM ${NEXT_LEDGERS}`,
    ...[NEXT_LEDGERS, PLACE_TABLE, ROOM_TABLE].map((table) => `DROP TABLE ${table}`),
    ...(old.includes(OLD_BILLING) ? [`DROP INDEX ${BILLING_INDEX}`] : []),
    ...dialect.gatherStatistics(FACTS_TABLE),
  ]);
  await finish(schema);
};

const finish = (schema: MigrationSchema): Promise<void> => {
  const { dialect } = schema;
  return runAll(schema, [
    'DROP TABLE feed',
    ...dialect.freezeUnless(FACTS_TABLE, PERMITTED_CHANGE),
    ...keyByTenant(dialect),
    ...dialect.expectRows(FACT_ROWS),
  ]);
};

const runAll = async (schema: MigrationSchema, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await schema.raw(statement);
};
