import type { MigrationSchema } from '../../../ports/ports.ts';
import { factIndexes } from '../fact-table.ts';
import { NEXT_FACTS } from './begin-copy.ts';
import { type CopyPlace, savePlace } from './copy-place.ts';

/** Builds one index of the new table: after the copy, because an index is made faster from all rows at once. */
export const buildNextIndex = async (
  schema: MigrationSchema,
  place: CopyPlace,
): Promise<{ readonly built: number; readonly of: number }> => {
  const statements = factIndexes(NEXT_FACTS);
  const statement = statements[place.indexes];
  if (statement === undefined) return { built: place.indexes, of: statements.length };
  await schema.raw(statement);
  await savePlace(schema, { ...place, indexes: place.indexes + 1 });
  return { built: place.indexes + 1, of: statements.length };
};
