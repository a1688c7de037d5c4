import {
  type AppendedBatch,
  all,
  equals,
  type FactOutline,
  isIn,
  matchKey,
  type PluginSnapshot,
  type PluginTransaction,
  type ServiceNames,
  type StoredFact,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import type { ConflictEntities } from '../../conflicts/conflicts-api.ts';
import { ttlTarget } from '../../facts/facts-api.ts';
import { type HiddenBy, hiddenAmong, hideSystemFacts } from './hidden-rows.ts';

/**
 * System facts about facts record their expiry, their sender and their contradictions. Their entity names the fact or
 * the conflict, and they are hidden with it.
 */

export interface SystemFactParts {
  readonly names: ServiceNames;
  readonly conflicts: ConflictEntities | undefined;
}

/** Returns the match keys of the entities under which system facts about these facts are stored. */
export const entitiesAbout = async (
  snapshot: PluginSnapshot,
  tenantId: string,
  factIds: readonly string[],
  names: ServiceNames,
): Promise<readonly string[]> => {
  if (factIds.length === 0) return [];
  const keys = factIds.flatMap((id) => [matchKey(id, names), matchKey(names.factEntity(id), names)]);
  const found = await snapshot.outline(all(equals('tenantId', tenantId), isIn('entityKey', keys)));
  return [...new Set(found.map(({ entityKey }) => entityKey))];
};

/** Returns the facts that are about other facts. */
export const systemFactsAmong = (facts: AppendedBatch['facts'], names: ServiceNames): readonly StoredFact[] =>
  facts.flatMap(({ fact }) => (tellsOfFacts(fact, names) ? [fact] : []));

/** Hides the new system facts of a transaction that are about hidden facts. */
export const hideLateSystemFacts = async (
  systemFacts: readonly StoredFact[],
  own: WritableTables,
  transaction: PluginTransaction,
  parts: SystemFactParts,
): Promise<undefined> => {
  const tenantId = systemFacts[0]?.tenantId;
  if (tenantId === undefined) return;
  const subjects = await subjectsOf(systemFacts, tenantId, transaction, parts);
  const hidden = await hiddenAmong(own, [...new Set(subjects.values())]);
  const late = systemFacts.flatMap(({ entityKey }): (HiddenBy & { entityKey: string })[] => {
    const subject = subjects.get(entityKey);
    return (subject === undefined ? [] : (hidden.get(subject) ?? [])).map((by) => ({ ...by, entityKey }));
  });
  if (late.length > 0) await hideSystemFacts(own, tenantId, late);
};

/** Returns true for relations that occur only on entities that name facts or conflicts. */
const tellsOfFacts = ({ entityKey, relationKey }: StoredFact, names: ServiceNames): boolean =>
  relationKey === names.meta('ttl') ||
  relationKey === names.meta('resolves') ||
  entityKey.startsWith(names.factEntity('')) ||
  entityKey.startsWith(names.meta('conflict:'));

type Subject = Pick<FactOutline, 'tenantId' | 'id' | 'entityKey' | 'scope' | 'originNodeId'>;

/** Returns the entity of the fact that each of these system facts is about. */
const subjectsOf = async (
  systemFacts: readonly StoredFact[],
  tenantId: string,
  snapshot: PluginSnapshot,
  { names, conflicts }: SystemFactParts,
): Promise<ReadonlyMap<string, Subject>> => {
  const targets = new Map(systemFacts.map(({ entity, entityKey }) => [entityKey, ttlTarget(entity, names)]));
  const isConflict = (key: string): boolean => key.startsWith(names.meta('conflict:'));
  const conflictKeys = [...targets.keys()].filter(isConflict);
  const ids = [...targets].flatMap(([key, id]) => (isConflict(key) ? [] : [id]));
  const found =
    ids.length === 0 ? [] : await snapshot.outline(all(equals('tenantId', tenantId), isIn('id', [...new Set(ids)])));
  const byId = new Map(found.map((fact) => [fact.id, fact]));
  const contested = (await conflicts?.subjects(snapshot, tenantId, conflictKeys)) ?? new Map();
  return new Map(
    [...targets].flatMap(([key, id]) => {
      const triple = contested.get(key);
      if (triple !== undefined) return [[key, { ...triple, id: key, originNodeId: null }] as const];
      const fact = byId.get(id);
      return fact === undefined ? [] : [[key, fact] as const];
    }),
  );
};
