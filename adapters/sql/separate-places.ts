import type { ExpectedRows, MigrationSchema } from '../../ports/ports.ts';
import { placeSql } from './fact-field-columns.ts';

/**
 * From here on, what ends and contradicts facts stays within their place: a garden, or outside all gardens. The index
 * on triples leads to the facts of one place, and a cover names its own.
 */
export const separatePlaces = async (schema: MigrationSchema): Promise<void> => {
  if ((await schema.tables()).includes(SAID_ABOUT_TWO))
    await runAll(schema, schema.dialect.updateFrozen('facts', HIDE_FROM_MEMBERS));
  await runAll(schema, [
    'DROP INDEX facts_by_triple',
    `CREATE INDEX facts_by_triple ON facts
      (tenant_id, entity_key, relation_key, scope, (${placeSql('garden_id')}), confidence, hlc_wall, hlc_ctr)`,
    `ALTER TABLE fact_covers ADD COLUMN place ${schema.dialect.textType} NOT NULL DEFAULT ''`,
    `UPDATE fact_covers SET place = ${placeSql('garden_id')}`,
    'ALTER TABLE fact_covers DROP COLUMN garden_id',
    'DROP INDEX fact_covers_by_triple',
    `CREATE INDEX fact_covers_by_triple ON fact_covers
      (tenant_id, entity_key, relation_key, scope, place, hlc_wall, hlc_ctr)`,
  ]);
  await runAll(schema, schema.dialect.expectRows(EXPECTED_ROWS));
};

const runAll = async (schema: MigrationSchema, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await schema.raw(statement);
};

const EXPECTED_ROWS: ExpectedRows = [
  ['facts', 'facts_by_triple', '1000000 1000000 20 5 4 4 3 1 1'],
  ['fact_covers', 'fact_covers_by_triple', '10000 10000 2 2 2 2 1 1'],
];

/** Facts that the node itself once said about a contradiction between two gardens, shown to the members of both. */
const SAID_ABOUT_TWO = 'gardens_also_in';

/** A garden that never was: its facts are for admin keys alone, as those of a garden that was deleted. */
const NO_GARDEN = '00000000-0000-0000-0000-000000000000';

/**
 * Nobody asks for the second garden any more, so that a member of the first would be shown what was said about both.
 * These are no facts of anybody's, but remarks of the node, and the one thing about facts that ever was changed.
 */
const HIDE_FROM_MEMBERS = `UPDATE facts SET garden_id = '${NO_GARDEN}'
  WHERE id IN (SELECT fact_id FROM ${SAID_ABOUT_TWO})`;
