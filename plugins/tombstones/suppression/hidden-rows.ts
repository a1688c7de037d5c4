import { portions, type SuppressibleFact } from '../../../kernel/internal-api.ts';
import { type ColumnMatch, type ReadableTables, SCOPES, type WritableTables } from '../../../kernel/plugin-api.ts';
import { HIDDEN, HIDDEN_SYSTEM_FACTS } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';

/** The tombstone that hides facts, whether it is a legal hold, and the node whose facts it hides. */
export interface HiddenBy {
  readonly tombstoneId: string;
  readonly isHeld: boolean;
  /** The only node whose facts are hidden; an empty text to hide the facts of all nodes. */
  readonly originNodeId: string;
}

/** Hides the facts of an entity in the scope of its tombstone. */
export const hideEntity = (
  own: WritableTables,
  { tenantId, id, entityKey, scope, legalHold }: Tombstone,
  originNodeId: string,
): Promise<void> =>
  own.insertRows(
    HIDDEN,
    (scope === '*' ? SCOPES : [scope]).map((each) => ({
      tenant_id: tenantId,
      entity_key: entityKey,
      scope: each,
      tombstone_id: id,
      held: legalHold ? 1 : 0,
      origin_node_id: originNodeId,
    })),
  );

/** A system fact about a hidden fact. */
export interface HiddenSystemFact extends Pick<HiddenBy, 'tombstoneId' | 'isHeld'> {
  readonly factId: string;
}

/** Hides system facts. Does nothing for those that are hidden already. */
export const hideSystemFacts = async (
  own: WritableTables,
  tenantId: string,
  facts: readonly HiddenSystemFact[],
): Promise<void> => {
  for (const some of portions(facts, ROWS_PER_STATEMENT)) {
    const rows = some.map(({ factId, tombstoneId, isHeld }) => ({
      tenant_id: tenantId,
      fact_id: factId,
      tombstone_id: tombstoneId,
      held: isHeld ? 1 : 0,
    }));
    await own(HIDDEN_SYSTEM_FACTS).insert(rows).onConflict(['tenant_id', 'fact_id', 'tombstone_id']).ignore();
  }
};

const ROWS_PER_STATEMENT = 100;

/** Joins the rows whose fact id is a scope. No system fact has such an id, because the node makes its ids. */
export const WHOLE_SCOPE: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'fact_id', is: 'equal', field: 'scope' },
];

/** The row with this id hides all system facts about facts. No system fact has such an id. */
export const ALL_ABOUT_FACTS = '*';

/** Hides all system facts about conflicts in the scope of a tombstone, while those about its entity are looked for. */
export const hideAllAboutConflicts = (own: WritableTables, tombstone: Tombstone): Promise<void> =>
  hideAll(own, tombstone, tombstone.scope === '*' ? SCOPES : [tombstone.scope]);

/** Shows the system facts that `hideAllAboutConflicts` has hidden, except those with rows of their own. */
export const showOthersAboutConflicts = (own: WritableTables, tombstone: Tombstone): Promise<void> =>
  showOthers(own, tombstone, SCOPES);

/**
 * Hides all system facts about facts, while those about the facts of a tombstone are looked for. They may be in another
 * scope than these.
 */
export const hideAllAboutFacts = (own: WritableTables, tombstone: Tombstone): Promise<void> =>
  hideAll(own, tombstone, [ALL_ABOUT_FACTS]);

/** Shows the system facts that `hideAllAboutFacts` has hidden, except those with rows of their own. */
export const showOthersAboutFacts = (own: WritableTables, tombstone: Tombstone): Promise<void> =>
  showOthers(own, tombstone, [ALL_ABOUT_FACTS]);

const hideAll = (
  own: WritableTables,
  { tenantId, id, legalHold }: Tombstone,
  rowIds: readonly string[],
): Promise<void> =>
  hideSystemFacts(
    own,
    tenantId,
    rowIds.map((factId) => ({ tombstoneId: id, isHeld: legalHold, factId })),
  );

const showOthers = async (
  own: WritableTables,
  { tenantId, id }: Tombstone,
  rowIds: readonly string[],
): Promise<void> => {
  await own(HIDDEN_SYSTEM_FACTS)
    .where({ tenant_id: tenantId, tombstone_id: id })
    .whereIn('fact_id', [...rowIds])
    .delete();
};

/** Returns the system facts among these facts that a tombstone hides. */
export const hiddenSystemAmong = async <T extends Pick<SuppressibleFact, 'tenantId' | 'id'>>(
  own: ReadableTables,
  facts: readonly T[],
): Promise<readonly T[]> => {
  if (facts.length === 0) return [];
  const rows = await own.select(HIDDEN_SYSTEM_FACTS, {
    tenant_id: [...new Set(facts.map(({ tenantId }) => tenantId))],
    fact_id: [...new Set(facts.map(({ id }) => id))],
  });
  const hidden = new Set(rows.map((row) => JSON.stringify([row['tenant_id'], row['fact_id']])));
  return facts.filter(({ tenantId, id }) => hidden.has(JSON.stringify([tenantId, id])));
};

type Place = Pick<SuppressibleFact, 'tenantId' | 'entityKey' | 'scope'>;

/** Returns the tombstones that hide the entity of each of these facts, with one statement. Leaves out visible facts. */
export const hiddenAmong = async <T extends Place & Pick<SuppressibleFact, 'originNodeId'>>(
  own: ReadableTables,
  facts: readonly T[],
): Promise<ReadonlyMap<T, readonly HiddenBy[]>> => {
  const byPlace = await tombstonesOver(own, facts);
  return new Map(
    facts.flatMap((fact) => {
      const known = byPlace.get(placeOf(fact)) ?? [];
      const hides = known.filter(({ originNodeId }) => originNodeId === '' || originNodeId === fact.originNodeId);
      return hides.length === 0 ? [] : [[fact, hides] as const];
    }),
  );
};

/** Returns the ids of those of these facts that a tombstone hides without hiding their whole place. */
export const hiddenRivalsAmong = async (
  own: ReadableTables,
  facts: readonly SuppressibleFact[],
): Promise<readonly string[]> => {
  const hidden = await hiddenAmong(own, facts);
  return [...hidden].flatMap(([{ id }, by]) => (by.some(({ originNodeId }) => originNodeId !== '') ? [id] : []));
};

/** Returns those of these places whose facts of one node are hidden, and others not. */
export const partlyHiddenAmong = async <T extends Place>(
  own: ReadableTables,
  places: readonly T[],
): Promise<readonly T[]> => {
  const byPlace = await tombstonesOver(own, places);
  return places.filter((place) => byPlace.get(placeOf(place))?.some(({ originNodeId }) => originNodeId !== ''));
};

const tombstonesOver = async (
  own: ReadableTables,
  facts: readonly Place[],
): Promise<ReadonlyMap<string, readonly HiddenBy[]>> => {
  if (facts.length === 0) return new Map();
  const rows = await own.select(HIDDEN, {
    tenant_id: [...new Set(facts.map(({ tenantId }) => tenantId))],
    entity_key: [...new Set(facts.map(({ entityKey }) => entityKey))],
  });
  const byPlace = new Map<string, HiddenBy[]>();
  for (const row of rows) {
    const place = placeKey(String(row['tenant_id']), String(row['entity_key']), String(row['scope']));
    const by = {
      tombstoneId: String(row['tombstone_id']),
      isHeld: Number(row['held']) === 1,
      originNodeId: String(row['origin_node_id']),
    };
    byPlace.set(place, [...(byPlace.get(place) ?? []), by]);
  }
  return byPlace;
};

const placeOf = ({ tenantId, entityKey, scope }: Place): string => placeKey(tenantId, entityKey, scope);

const placeKey = (tenantId: string, entityKey: string, scope: string): string => `${tenantId}\0${scope}\0${entityKey}`;
