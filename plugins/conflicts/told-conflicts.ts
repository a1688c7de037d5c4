import { all, equals, type FactReader, isIn, matchKey, type ServiceNames } from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import type { ConflictRecord } from './conflict-record.ts';

/** Returns the ids of those of these conflicts about whose status the reader sees a fact of the node. */
export const toldAmong = async (
  reader: FactReader,
  records: readonly ConflictRecord[],
  names: ServiceNames,
): Promise<ReadonlySet<string>> => {
  if (records.length === 0) return new Set();
  const idOf = new Map(records.map(({ id }) => [matchKey(conflictEntity(id, names), names), id]));
  const ofConflicts = all(equals('tenantId', reader.caller.tenantId), isIn('entityKey', [...idOf.keys()]));
  const status = all(equals('system', true), equals('relationKey', names.meta('conflict:status')));
  const told = await reader.snapshot.outline(all(ofConflicts, status, await reader.constraint('visible')));
  return new Set(told.flatMap(({ entityKey }) => idOf.get(entityKey) ?? []));
};
