import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import type { OwnedMigration } from '../../ports/ports.ts';

const FACTS_PER_STEP = 40;

/** Copies in steps while the former version writes, and changes the busiest table at the end. */
const MADE_UP: OwnedMigration = {
  owner: 'core',
  number: 901,
  name: 'made_up',
  async prepare({ tables, data, raw }, progress) {
    if (!(await tables()).includes('fact_lengths')) {
      await raw('CREATE TABLE fact_lengths (fact_id TEXT NOT NULL PRIMARY KEY, length INTEGER NOT NULL)');
    }
    const before = (await data.select('fact_lengths', {})).length;
    await raw(COPY(`LIMIT ${FACTS_PER_STEP}`));
    const copied = (await data.select('fact_lengths', {})).length;
    progress(copied, copied, 'facts');
    return copied - before < FACTS_PER_STEP;
  },
  async up({ raw }) {
    await raw(COPY(''));
    await raw('ALTER TABLE facts ADD COLUMN made_up TEXT');
  },
};

const COPY = (limit: string): string => `INSERT INTO fact_lengths (fact_id, length)
  SELECT id, 1 FROM facts WHERE id NOT IN (SELECT fact_id FROM fact_lengths) ORDER BY id ${limit}`;

/** The program of a made-up next version: this one with one more migration of the core. */
(CORE_MIGRATIONS as OwnedMigration[]).push(MADE_UP);
await import('../../config/programs/program.ts');
