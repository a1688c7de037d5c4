import { portions } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactOutline,
  isIn,
  type PluginSnapshot,
  type ReadableTables,
  type ServiceNames,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { ConflictEntities } from '../../conflicts/conflicts-api.ts';
import { type HiddenBy, type HiddenSystemFact, hiddenAmong, partlyHiddenAmong } from './hidden-rows.ts';

/**
 * Returns those facts of `ofPartlyHidden` that tell of a fact behind a tombstone of a peer. That tombstone hides one
 * side of a conflict and leaves the other. A fact that names two members is hidden if either is hidden. Status and note
 * are hidden if the visible members agree at that time.
 */
export const tellingOfHidden = async (
  told: readonly StoredFact[],
  own: ReadableTables,
  snapshot: PluginSnapshot,
  { names, conflicts }: { readonly names: ServiceNames; readonly conflicts: ConflictEntities | undefined },
): Promise<HiddenSystemFact[]> => {
  const tenantId = told[0]?.tenantId;
  if (tenantId === undefined || conflicts === undefined) return [];
  const between = names.meta('conflict:between');
  const wholes = told.filter(({ relationKey }) => relationKey !== between).map(({ entityKey }) => entityKey);
  const members = await conflicts.members(snapshot, tenantId, [...new Set(wholes)]);
  const named = (fact: StoredFact): readonly string[] =>
    fact.relationKey === between ? String(fact.value.v).split(' ') : (members.get(fact.entityKey) ?? []);
  const byId = await outlinesOf([...new Set(told.flatMap(named))], tenantId, snapshot);
  const hidden = await hiddenAmong(own, [...byId.values()]);
  return told.flatMap((fact) => {
    const about = named(fact).flatMap((id) => byId.get(id) ?? []);
    const shown = new Set(about.filter((one) => !hidden.has(one)).map(({ valueKey }) => valueKey));
    return shown.size > 1 ? [] : rowsOf(fact, about, hidden);
  });
};

/** Returns those of these system facts that are about conflicts between facts of which some may be hidden. */
export const ofPartlyHidden = async (
  aboutConflicts: readonly StoredFact[],
  own: ReadableTables,
  snapshot: PluginSnapshot,
  conflicts: ConflictEntities | undefined,
): Promise<readonly StoredFact[]> => {
  if (aboutConflicts.length === 0 || conflicts === undefined) return [];
  const keys = [...new Set(aboutConflicts.map(({ entityKey }) => entityKey))];
  const subjects = await conflicts.subjects(snapshot, aboutConflicts[0]?.tenantId ?? '', keys);
  const partly = new Set(await partlyHiddenAmong(own, [...subjects.values()]));
  return aboutConflicts.filter(({ entityKey }) => {
    const subject = subjects.get(entityKey);
    return subject !== undefined && partly.has(subject);
  });
};

const rowsOf = (
  { id }: StoredFact,
  about: readonly FactOutline[],
  hidden: ReadonlyMap<FactOutline, readonly HiddenBy[]>,
): HiddenSystemFact[] =>
  about.flatMap((one) => hidden.get(one) ?? []).map(({ tombstoneId, isHeld }) => ({ tombstoneId, isHeld, factId: id }));

const IDS_AT_ONCE = 1_000;

export const outlinesOf = async (
  ids: readonly string[],
  tenantId: string,
  snapshot: PluginSnapshot,
): Promise<ReadonlyMap<string, FactOutline>> => {
  const found = new Map<string, FactOutline>();
  for (const some of portions(ids, IDS_AT_ONCE)) {
    const outlines = await snapshot.outline(all(equals('tenantId', tenantId), isIn('id', some)));
    for (const outline of outlines) found.set(outline.id, outline);
  }
  return found;
};
