import type { TriplePosition } from '../../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  all,
  equals,
  type FactOutline,
  type Filter,
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
import type { Tombstone } from '../tombstones-api.ts';
import { type HiddenSystemFact, hiddenAmong, hideSystemFacts } from './hidden-rows.ts';
import { ofPartlyHidden, tellingOfHidden } from './partly-hidden.ts';

/**
 * System facts about a fact record its expiry, reason, sender and contradictions, and are hidden together with it. They
 * are recognised by their relation, because a peer may choose an id that equals the entity of any fact.
 */

export interface SystemFactParts {
  readonly names: ServiceNames;
  readonly conflicts: ConflictEntities | undefined;
}

/** The relations of system facts whose entity names a fact by its id. */
const ABOUT_FACTS = ['ttl', 'reason', 'resolves', 'received_from'];
/** The relations of system facts whose entity names a conflict. */
const ABOUT_CONFLICTS = ['conflict:between', 'conflict:status', 'conflict:note'];

/** Selects system facts by their relation, because their entity may equal the one of any other fact. */
const withRelation = (nouns: readonly string[], names: ServiceNames): Filter =>
  all(
    equals('system', true),
    isIn(
      'relationKey',
      nouns.map((noun) => names.meta(noun)),
    ),
  );

/** Matches the system facts about facts. */
export const aboutFacts = (names: ServiceNames): Filter => withRelation(ABOUT_FACTS, names);

/** Matches the system facts about contradictions. */
export const aboutConflicts = (names: ServiceNames): Filter => withRelation(ABOUT_CONFLICTS, names);

/** Returns the ids of the system facts about these facts. */
export const systemFactsOf = async (
  snapshot: PluginSnapshot,
  tenantId: string,
  factIds: readonly string[],
  names: ServiceNames,
): Promise<readonly string[]> => {
  if (factIds.length === 0) return [];
  const keys = factIds.flatMap((id) => [matchKey(id, names), matchKey(names.factEntity(id), names)]);
  const about = all(equals('tenantId', tenantId), withRelation(ABOUT_FACTS, names), isIn('entityKey', keys));
  const found = await snapshot.outline(about);
  const ids = new Set(factIds);
  // Compares the ids exactly: a match key ignores case, and ids of peers may differ only in case.
  return found.flatMap((fact) => (ids.has(ttlTarget(fact.entity, names)) ? [fact.id] : []));
};

/** The number of conflicts whose system facts one statement looks up. */
const CONFLICTS_AT_ONCE = 250;

/**
 * Returns the next system facts about the contradictions over an entity, in the order of triples. Fewer than the limit
 * may be found before the last ones.
 */
export const systemFactsOfConflicts = async (
  snapshot: PluginSnapshot,
  { tenantId, entityKey }: Pick<Tombstone, 'tenantId' | 'entityKey'>,
  { after, limit }: { readonly after: TriplePosition | undefined; readonly limit: number },
  { names, conflicts }: SystemFactParts,
): Promise<{ readonly found: readonly FactOutline[]; readonly isOver: boolean }> => {
  if (conflicts === undefined) return { found: [], isOver: true };
  for (let from = after?.entityKey; ; ) {
    const keys = await conflicts.about(snapshot, tenantId, entityKey, { from, limit: CONFLICTS_AT_ONCE });
    const filter = all(aboutConflicts(names), isIn('entityKey', keys));
    const found = keys.length === 0 ? [] : await snapshot.outlineByTriple({ tenantId, filter, after, limit });
    const isLast = keys.length < CONFLICTS_AT_ONCE;
    if (found.length > 0 || isLast) return { found, isOver: isLast && found.length < limit };
    from = keys.at(-1);
  }
};

const isAboutConflict = (names: ServiceNames): ((fact: Pick<StoredFact, 'relationKey'>) => boolean) => {
  const relations = new Set(ABOUT_CONFLICTS.map((noun) => names.meta(noun)));
  return ({ relationKey }) => relations.has(relationKey);
};

/** Returns the facts that are about other facts. */
export const systemFactsAmong = (facts: AppendedBatch['facts'], names: ServiceNames): readonly StoredFact[] => {
  const relations = new Set([...ABOUT_FACTS, ...ABOUT_CONFLICTS].map((noun) => names.meta(noun)));
  return facts.flatMap(({ fact }) => (fact.system && relations.has(fact.relationKey) ? [fact] : []));
};

/** Hides the new system facts of a transaction that are about hidden facts. */
export const hideLateSystemFacts = async (
  systemFacts: readonly StoredFact[],
  own: WritableTables,
  transaction: PluginTransaction,
  parts: SystemFactParts,
): Promise<void> => {
  const tenantId = systemFacts[0]?.tenantId;
  if (tenantId === undefined) return;
  const subjects = await subjectsOf(systemFacts, tenantId, transaction, parts);
  const hidden = await hiddenAmong(own, [...new Set(subjects.values())]);
  const late = systemFacts.flatMap((fact): HiddenSystemFact[] => {
    const subject = subjects.get(fact);
    return (subject === undefined ? [] : (hidden.get(subject) ?? [])).map((by) => ({ ...by, factId: fact.id }));
  });
  const aboutConflicts = systemFacts.filter(isAboutConflict(parts.names));
  const told = await ofPartlyHidden(aboutConflicts, own, transaction, parts.conflicts);
  late.push(...(await tellingOfHidden(told, own, transaction, parts)));
  if (late.length > 0) await hideSystemFacts(own, tenantId, late);
};

type Subject = Pick<FactOutline, 'tenantId' | 'entityKey' | 'scope' | 'originNodeId'>;

/** Returns the fact or the contradiction that each of these system facts is about. */
const subjectsOf = async (
  systemFacts: readonly StoredFact[],
  tenantId: string,
  snapshot: PluginSnapshot,
  { names, conflicts }: SystemFactParts,
): Promise<ReadonlyMap<StoredFact, Subject>> => {
  const isOfConflict = isAboutConflict(names);
  const [ofConflicts, ofFacts] = [true, false].map((wanted) =>
    systemFacts.filter((fact) => isOfConflict(fact) === wanted),
  ) as [StoredFact[], StoredFact[]];
  const ids = [...new Set(ofFacts.map((fact) => ttlTarget(fact.entity, names)))];
  const found = ids.length === 0 ? [] : await snapshot.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const byId = new Map(found.map((fact) => [fact.id, fact]));
  const keys = [...new Set(ofConflicts.map(({ entityKey }) => entityKey))];
  const contested = (await conflicts?.subjects(snapshot, tenantId, keys)) ?? new Map();
  const subjects = new Map<StoredFact, Subject>();
  for (const fact of ofFacts) {
    const subject = byId.get(ttlTarget(fact.entity, names));
    if (subject !== undefined) subjects.set(fact, subject);
  }
  for (const fact of ofConflicts) {
    const triple = contested.get(fact.entityKey);
    if (triple !== undefined) subjects.set(fact, { ...triple, originNodeId: null });
  }
  return subjects;
};
