import { SIBLING_LIMIT } from '../../kernel/internal-api.ts';
import {
  type AppendBatch,
  type AppendItem,
  all,
  equals,
  type Facts,
  isIn,
  type NodeSelf,
  noteOf,
  type PluginTables,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { Resolution } from './conflicts-api.ts';
import type { HeldRelations } from './held-relations.ts';
import { CROWD } from './live-facts.ts';
import { placeDigest, readTimelines } from './timeline-rows.ts';
import { type HistoryEntry, TripleHistory } from './triple-history.ts';
import type { LongestLived } from './winner-timeline.ts';

/** Returns true if the caller may read the item's garden. All facts that contradict the item are in that garden. */
export type SeesPlace = (item: AppendItem) => Promise<boolean>;

export interface StrictParts {
  readonly facts: Pick<Facts, 'readIn'>;
  readonly seesPlace: SeesPlace;
  readonly relations: HeldRelations;
  readonly self: Pick<NodeSelf, 'nodeId'>;
}

/**
 * Strict mode: refuses a client's assertion that contradicts a live fact visible to the caller. Checks items in order,
 * so accepted items of the transaction affect later ones.
 */
export const refuseContradictions = async (
  batch: AppendBatch,
  tables: PluginTables,
  { facts, seesPlace, relations, self: { nodeId } }: StrictParts,
): Promise<void> => {
  const { nowMs } = batch;
  const histories = new Map<string, TripleHistory<HistoryEntry>>();
  for (const item of batch.items) {
    const { fact } = item;
    if (!item.open || fact.system || relations.at(fact.tenantId).holdsMany(fact.relationKey)) continue;
    const known = histories.get(item.tripleId);
    const history = known ?? new TripleHistory<HistoryEntry>(await liveOf(item, batch, tables), { nowMs, nodeId });
    histories.set(item.tripleId, history);
    if (item.origin === 'client' && noteOf(item.notes, Resolution) === undefined) {
      const rivals = history.rivalsOf(fact);
      const seen = rivals.length > 0 && (await seesPlace(item)) ? await seenAmong(rivals, item, batch, facts) : [];
      if (seen.length > 0) {
        item.reject(contradicts(seen));
        continue;
      }
    }
    history.add(fact);
  }
};

/**
 * Returns the rivals that the caller may see. A tombstone may hide some, and the reply must be as if they did not
 * exist. Rivals of the same request are not stored yet, and the caller knows them.
 */
const seenAmong = async (
  rivals: readonly HistoryEntry[],
  { caller, fact: { tenantId } }: AppendItem,
  { items, transaction }: AppendBatch,
  facts: StrictParts['facts'],
): Promise<readonly HistoryEntry[]> => {
  const requested = new Set(items.map(({ fact }) => fact.id));
  const stored = rivals.map(({ id }) => id).filter((id) => !requested.has(id));
  if (stored.length === 0) return rivals;
  const seen = await facts.readIn(transaction, caller, 'get', async (reader) =>
    transaction.outline(all(equals('tenantId', tenantId), isIn('id', stored), await reader.constraint('visible'))),
  );
  const shown = new Set([...requested, ...seen.map(({ id }) => id)]);
  return rivals.filter(({ id }) => shown.has(id));
};

/**
 * Returns live facts of the item's triple. The batch holds only the strongest ones. If the triple has very many, this
 * reads some more, so that callers learn which facts contradict theirs. For the facts that are not read, the stored
 * winners name a contradicting one.
 */
const liveOf = async (item: AppendItem, batch: AppendBatch, tables: PluginTables): Promise<readonly HistoryEntry[]> => {
  const strongest = batch.siblings(item);
  if (strongest.length < SIBLING_LIMIT) return strongest;
  const [live = []] = await batch.transaction.siblings([item.fact], batch.nowMs, CROWD);
  if (live.length < CROWD) return live;
  const digest = placeDigest(item.fact);
  const timeline = (await readTimelines(tables.in(batch.transaction), item.fact.tenantId, [digest])).get(digest);
  const others = [timeline?.lasting, timeline?.contesting].flatMap((lasting) =>
    lasting !== undefined && lasting.untilMs > batch.nowMs ? [entryOf(lasting)] : [],
  );
  return [...live, ...others.filter(({ id }) => !live.some((known) => known.id === id))];
};

const entryOf = ({ id, valueKey, untilMs }: LongestLived): HistoryEntry => ({
  id,
  valueKey,
  confidence: 1,
  validUntilMs: untilMs,
  system: false,
  originNodeId: null,
  originId: null,
  replaces: [],
});

const contradicts = (rivals: readonly HistoryEntry[]): ServiceError =>
  new ServiceError('conflict', 'a live fact of the same entity, relation and scope has another value', {
    hint: 'retract or resolve it first, or run the node with conflict mode record',
    members: { conflicting_fact_ids: rivals.map(({ id }) => id) },
  });
