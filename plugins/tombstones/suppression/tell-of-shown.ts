import { openAmong } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactDraft,
  type FactOutline,
  isIn,
  type PluginTransaction,
  type ReadableTables,
  type ServiceNames,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { ConflictEntities } from '../../conflicts/conflicts-api.ts';
import { hiddenAmong, hiddenSystemAmong } from './hidden-rows.ts';
import { outlinesOf } from './partly-hidden.ts';

interface TellingParts {
  readonly names: ServiceNames;
  readonly conflicts: ConflictEntities | undefined;
  readonly nowMs: number;
}

/**
 * Drafts what the node says about visible facts that join conflicts with facts behind a tombstone of a peer. The facts
 * of the node about such a conflict are hidden while they tell of the hidden side, and these take their place. Runs
 * once those are hidden. `told` are new facts of `ofPartlyHidden`.
 */
export const tellOfShown = async (
  told: readonly StoredFact[],
  own: ReadableTables,
  transaction: PluginTransaction,
  { names, conflicts, nowMs }: TellingParts,
): Promise<readonly FactDraft[]> => {
  const between = names.meta('conflict:between');
  const joins = told.filter(({ relationKey }) => relationKey === between);
  const tenantId = joins[0]?.tenantId;
  if (tenantId === undefined || conflicts === undefined) return [];
  const keys = [...new Set(joins.map(({ entityKey }) => entityKey))];
  const members = await conflicts.members(transaction, tenantId, keys);
  const known = await outlinesOf([...new Set([...members.values()].flat())], tenantId, transaction);
  const hidden = await hiddenAmong(own, [...known.values()]);
  const shown = new Map([...known].filter(([, fact]) => !hidden.has(fact)));
  const live = await liveAmong([...shown.keys()], tenantId, transaction, nowMs);
  const silent = new Set(keys);
  for (const key of await toldStatuses(keys, own, transaction, { tenantId, names })) silent.delete(key);
  const unsaid = new Set((await hiddenSystemAmong(own, joins)).map(({ id }) => id));
  const drafts: FactDraft[] = [];
  for (const [at, { id, entityKey, value }] of joins.entries()) {
    const joined = shown.get(joinerOf(value));
    if (joined === undefined) continue;
    const later = new Set(joins.slice(at).map((one) => joinerOf(one.value)));
    const rivals = (members.get(entityKey) ?? []).flatMap((one) => (later.has(one) ? [] : (live.get(one) ?? [])));
    const said = conflicts.joined(entityKey, joined, rivals);
    if (said === undefined) continue;
    if (unsaid.has(id)) drafts.push(said.between);
    if (silent.delete(entityKey)) drafts.push(said.unresolved);
  }
  return drafts;
};

/** Returns the id of the fact that joined the conflict. */
const joinerOf = ({ v }: StoredFact['value']): string => String(v).split(' ', 1)[0] ?? '';

const liveAmong = async (
  ids: readonly string[],
  tenantId: string,
  transaction: PluginTransaction,
  nowMs: number,
): Promise<ReadonlyMap<string, FactOutline>> => {
  const some = all(equals('tenantId', tenantId), isIn('id', ids));
  const found = ids.length === 0 ? [] : await transaction.outline(openAmong(some, { nowMs }));
  return new Map(found.map((fact) => [fact.id, fact]));
};

/** Returns the conflicts about whose status a reader may find a fact. */
const toldStatuses = async (
  keys: readonly string[],
  own: ReadableTables,
  transaction: PluginTransaction,
  { tenantId, names }: Pick<TellingParts, 'names'> & { readonly tenantId: string },
): Promise<readonly string[]> => {
  const ofTenant = all(equals('tenantId', tenantId), equals('system', true));
  const isStatus = equals('relationKey', names.meta('conflict:status'));
  const found = await transaction.outline(all(ofTenant, isIn('entityKey', keys), isStatus));
  const hidden = new Set(await hiddenSystemAmong(own, found));
  return found.flatMap((fact) => (hidden.has(fact) ? [] : [fact.entityKey]));
};
