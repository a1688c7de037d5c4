import { equals, type FactReader, matchKey, type ServiceNames, type StoredFact } from '../../kernel/plugin-api.ts';
import type { Unit } from './manifest.ts';

/** What a unit says to one reader. */
export interface UnitContent {
  readonly fact: StoredFact;
  /** Not empty. */
  readonly text: string;
}

/** The newest live fact on the unit's URI among those that the reader may read; undefined when there is none, or it says nothing. */
export const contentOf = async (
  { factUri }: Unit,
  reader: FactReader,
  names: ServiceNames,
): Promise<UnitContent | undefined> => {
  const about = equals('entityKey', matchKey(factUri, names));
  const [fact] = await reader.find(about, { view: 'live', order: 'hlc', limit: 1 });
  if (fact === undefined || fact.value.v === null) return undefined;
  const text = String(fact.value.v);
  return text === '' ? undefined : { fact, text };
};
