import {
  type AppendBatch,
  type AppendItem,
  noteOf,
  type PluginTables,
  ServiceError,
  SIBLING_LIMIT,
} from '../../kernel/plugin-api.ts';
import { Resolution } from './conflicts-api.ts';
import { CROWD } from './live-facts.ts';
import type { Lasting } from './standing.ts';
import { placeDigest, readStandings } from './standing-rows.ts';
import { type Entry, TripleHistory } from './triple-history.ts';

/**
 * Whether the caller of an item may know of the facts that stand in its way: all of them are in the place of the item.
 */
export type SeesPlace = (item: AppendItem) => Promise<boolean>;

/**
 * Strict mode: refuses a client's assertion that contradicts a live fact the caller can see. Items are judged in order,
 * and those accepted earlier in the same transaction count.
 */
export const refuseContradictions = async (
  batch: AppendBatch,
  tables: PluginTables,
  seesPlace: SeesPlace,
): Promise<void> => {
  const histories = new Map<string, TripleHistory<Entry>>();
  for (const item of batch.items) {
    const { fact } = item;
    if (!item.open || fact.system) continue;
    const known = histories.get(item.tripleId);
    const history = known ?? new TripleHistory<Entry>(await liveOf(item, batch, tables), batch.nowMs);
    histories.set(item.tripleId, history);
    if (item.origin === 'client' && noteOf(item.notes, Resolution) === undefined) {
      const rivals = history.rivalsOf(fact);
      if (rivals.length > 0 && (await seesPlace(item))) {
        item.reject(contradicts(rivals));
        continue;
      }
    }
    history.add(fact);
  }
};

/**
 * The batch holds the strongest facts only. Where there are more, some more are read, so that callers are told what
 * stands in their way; the rivals among those that nobody reads are known from who contests the place.
 */
const liveOf = async (item: AppendItem, batch: AppendBatch, tables: PluginTables): Promise<readonly Entry[]> => {
  const strongest = batch.siblings(item);
  if (strongest.length < SIBLING_LIMIT) return strongest;
  const [live = []] = await batch.transaction.siblings([item.fact], batch.nowMs, CROWD);
  if (live.length < CROWD) return live;
  const digest = placeDigest(item.fact);
  const standing = (await readStandings(tables.in(batch.transaction), [digest])).get(digest);
  const others = [standing?.lasting, standing?.contesting].flatMap((lasting) =>
    lasting !== undefined && lasting.untilMs > batch.nowMs ? [entryOf(lasting)] : [],
  );
  return [...live, ...others.filter(({ id }) => !live.some((known) => known.id === id))];
};

const entryOf = ({ id, valueKey, untilMs }: Lasting): Entry => ({
  id,
  valueKey,
  confidence: 1,
  validUntilMs: untilMs,
  system: false,
});

const contradicts = (rivals: readonly Entry[]): ServiceError =>
  new ServiceError('conflict', 'a live fact of the same entity, relation and scope has another value', {
    hint: 'retract or resolve it first, or run the node with conflict mode record',
    members: { conflicting_fact_ids: rivals.map(({ id }) => id) },
  });
