import { all, equals, type FactReader, isIn, matchKey, type ServiceNames } from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import type { ConflictRecord } from './conflict-record.ts';

/**
 * Returns when the node first told the reader of each of these conflicts, by record. A conflict that opened with facts
 * hidden from the reader began, for the reader, when visible facts contradicted each other.
 */
export const shownSince = async (
  reader: FactReader,
  records: readonly ConflictRecord[],
  names: ServiceNames,
): Promise<ReadonlyMap<string, number>> => {
  if (records.length === 0) return new Map();
  const idOf = new Map(records.map(({ id }) => [matchKey(conflictEntity(id, names), names), id]));
  const ofConflicts = all(equals('tenantId', reader.caller.tenantId), isIn('entityKey', [...idOf.keys()]));
  const status = all(equals('system', true), equals('relationKey', names.meta('conflict:status')));
  const since = new Map<string, number>();
  const told = all(ofConflicts, status, await reader.constraint('visible'));
  for (const { entityKey, timestampMs } of await reader.snapshot.outline(told)) {
    const id = idOf.get(entityKey) as string;
    since.set(id, Math.min(since.get(id) ?? timestampMs, timestampMs));
  }
  return since;
};
