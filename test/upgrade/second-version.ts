import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import type { MigrationSchema, OwnedMigration } from '../../ports/ports.ts';

/** The number of rows that the second version copies in one step. */
export const ROWS_PER_STEP = 3;

/** The migrations of a first version: the current core, and a plugin with one table. */
export const FIRST_VERSION: readonly OwnedMigration[] = [
  ...CORE_MIGRATIONS,
  {
    owner: 'notes',
    number: 900,
    name: 'notes',
    async up({ schema }) {
      await schema.createTable('notes_rows', (table) => {
        table.integer('id').primary();
        table.text('word').notNullable();
      });
    },
  },
];

/**
 * The migrations of a made-up second version: its core adds a table, and its plugin copies rows in steps. `insideStep`
 * runs before the commit of each step.
 */
export const secondVersion = (insideStep: () => Promise<void> = async () => {}): readonly OwnedMigration[] => [
  ...FIRST_VERSION,
  {
    owner: 'core',
    number: 901,
    name: 'remarks',
    up: ({ raw }) => raw('CREATE TABLE fact_remarks (fact_id TEXT NOT NULL PRIMARY KEY)'),
  },
  {
    owner: 'notes',
    number: 902,
    name: 'longer_notes',
    async prepare({ schema, data, tables }: MigrationSchema, progress) {
      if (!(await tables()).includes('notes_next')) {
        await schema.createTable('notes_next', (table) => {
          table.integer('id').primary();
          table.text('word').notNullable();
          table.integer('length').notNullable();
        });
      }
      const copied = (await data.select('notes_next', {})).length;
      const rows: { id: number; word: string }[] = await data
        .table('notes_rows')
        .orderBy('id')
        .offset(copied)
        .limit(ROWS_PER_STEP);
      await data.insertRows(
        'notes_next',
        rows.map(({ id, word }) => ({ id, word, length: word.length })),
      );
      await insideStep();
      progress(copied + rows.length, (await data.select('notes_rows', {})).length, 'notes');
      return rows.length < ROWS_PER_STEP;
    },
    up: async ({ schema }) => {
      await schema.dropTable('notes_rows').renameTable('notes_next', 'notes_rows');
    },
  },
];
