import { type AppendBatch, type AppendItem, noteOf, ServiceError, SIBLING_LIMIT } from '../../kernel/plugin-api.ts';
import { Resolution } from './conflicts-api.ts';
import { type Entry, TripleHistory } from './triple-history.ts';

/** Whether the caller of an item may know of a fact that stands in its way. */
export type SeesGarden = (item: AppendItem, gardenId: string | null) => Promise<boolean>;

/**
 * Strict mode: refuses a client's assertion that contradicts a live fact the caller can see (wire contract 4.6). Items are judged in
 * order, and those accepted earlier in the same transaction count.
 */
export async function refuseContradictions(batch: AppendBatch, seesGarden: SeesGarden): Promise<void> {
  const histories = new Map<string, TripleHistory<Entry>>();
  for (const item of batch.items) {
    const { fact } = item;
    if (!item.open || fact.system) continue;
    const known = histories.get(item.tripleId);
    const history = known ?? new TripleHistory<Entry>(await liveOf(item, batch), batch.nowMs);
    histories.set(item.tripleId, history);
    if (item.origin === 'client' && noteOf(item.notes, Resolution) === undefined) {
      const rivals: Entry[] = [];
      for (const rival of history.rivalsOf(fact)) if (await seesGarden(item, rival.gardenId)) rivals.push(rival);
      if (rivals.length > 0) {
        item.reject(contradicts(rivals));
        continue;
      }
    }
    history.add(fact);
  }
}

/** The batch holds the strongest facts only; a rival among the others stands in the way as well. */
async function liveOf(item: AppendItem, batch: AppendBatch): Promise<readonly Entry[]> {
  const strongest = batch.siblings(item);
  if (strongest.length < SIBLING_LIMIT) return strongest;
  const [all = []] = await batch.transaction.siblings([item.fact], batch.nowMs, EVERY_SIBLING);
  return all;
}

/** Read once per transaction for a triple that so many live facts share. */
const EVERY_SIBLING = 1_000_000;

const contradicts = (rivals: readonly Entry[]): ServiceError =>
  new ServiceError('conflict', 'a live fact of the same entity, relation and scope has another value', {
    hint: 'retract or resolve it first, or run the node with conflict mode record',
    members: { conflicting_fact_ids: rivals.map(({ id }) => id) },
  });
