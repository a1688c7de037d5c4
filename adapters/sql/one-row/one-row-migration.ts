import type { OwnedMigration } from '../../../ports/ports.ts';
import { beginCopy, isEmptyStore } from './begin-copy.ts';
import { buildNextIndex } from './build-indexes.ts';
import { copySome } from './copy-facts.ts';
import { readPlace } from './copy-place.ts';
import type { StepLimits } from './step-range.ts';
import { makeEmptyTables, swapTables } from './swap-tables.ts';

/**
 * From here on a fact is one row, and its entry in the feed, in the ledger and in the chain are parts of it. The facts
 * of an older store are copied in steps, then the indexes are built one by one, and last the new table takes the place
 * of the old one. Until then no process can add a fact.
 */
export const createOneRowMigration = (step: StepLimits): OwnedMigration => ({
  owner: 'core',
  number: 42,
  name: 'one_row',
  async prepare(schema, progress) {
    const place = await readPlace(schema);
    if (place === undefined) {
      if (await isEmptyStore(schema)) return true;
      progress(0, await beginCopy(schema), 'facts');
      return false;
    }
    if (place.copied < place.total) {
      progress(await copySome(schema, place, step), place.total, 'facts');
      return false;
    }
    const { built, of } = await buildNextIndex(schema, place);
    progress(built, of, 'indexes');
    return built === of;
  },
  up: async (schema) => ((await readPlace(schema)) === undefined ? makeEmptyTables(schema) : swapTables(schema)),
});
