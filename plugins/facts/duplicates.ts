import { liveAmong, type PreparedFact, type SettleableItem, SIBLING_LIMIT } from '../../kernel/internal-api.ts';
import {
  type AppendBatch,
  all,
  compareHlc,
  equals,
  type FactOutline,
  type Filter,
  noteOf,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { AssertionNote } from './read-assertion.ts';
import { isTtlRelation } from './ttl.ts';
import { ttlTarget } from './ttl-target.ts';

type SettleBatch = AppendBatch<SettleableItem>;

/**
 * Answers a repeated assertion with the stored fact. It repeats a fact if that fact is live and equal in all that the
 * caller said. Items are judged in order, so a retraction between two equal assertions makes both count.
 */
export const settleDuplicates = async (batch: SettleBatch, names: ServiceNames): Promise<void> => {
  const triples = new Map<string, TripleInBatch>();
  const ttls = new Map<string, SettleableItem>();
  for (const item of batch.items) {
    if (!item.open) continue;
    let triple = triples.get(item.tripleId);
    if (triple === undefined) {
      triple = { candidates: [], ended: false };
      triples.set(item.tripleId, triple);
    }
    if (noteOf(item.notes, AssertionNote) === undefined || item.fact.confidence === 0) end(triple);
    else if (isTtlRelation(item.fact.relationKey, names)) await settleTtl(batch, item, ttls, names);
    else {
      // Most facts are the first of their triple, and awaiting nothing still costs time.
      const settling = settleOne(batch, item, triple);
      if (settling !== undefined) await settling;
    }
  }
};

/** The effects of one transaction on a triple so far. */
interface TripleInBatch {
  /** Live facts of this transaction, unless a later phase refuses them. */
  candidates: SettleableItem[];
  /** True if the facts stored before this transaction are no longer live. */
  ended: boolean;
}

/** Retractions end earlier facts. Facts of plugins and peers may do so as well: a resolution, for example. */
const end = (triple: TripleInBatch): void => {
  triple.ended = true;
  triple.candidates = [];
};

const settleOne = (batch: SettleBatch, item: SettleableItem, triple: TripleInBatch): Promise<void> | undefined => {
  const { fact } = item;
  const earlier = triple.candidates.find((candidate) => repeatsItem(fact, candidate));
  if (earlier !== undefined) {
    item.follow(earlier);
    return undefined;
  }
  const mayBeStored = !triple.ended && (fact.system || batch.siblings(item).length > 0);
  if (mayBeStored) return settleStored(batch, item, triple);
  keepAsCandidate(batch, item, triple);
  return undefined;
};

const settleStored = async (batch: SettleBatch, item: SettleableItem, triple: TripleInBatch): Promise<void> => {
  const stored = await storedEqual(batch, item);
  if (stored !== undefined) item.settle(stored);
  else keepAsCandidate(batch, item, triple);
};

const keepAsCandidate = ({ nowMs }: SettleBatch, item: SettleableItem, triple: TripleInBatch): void => {
  if (item.fact.validUntilMs === null || item.fact.validUntilMs > nowMs) triple.candidates.push(item);
};

/**
 * A time-to-live repeats another only while that one is in force. Otherwise a change back to an old end would be lost.
 */
const settleTtl = async (
  batch: SettleBatch,
  item: SettleableItem,
  latest: Map<string, SettleableItem>,
  names: ServiceNames,
): Promise<void> => {
  const target = ttlTarget(item.fact.entity, names);
  const previous = latest.get(target);
  if (previous !== undefined && repeatsItem(item.fact, previous)) {
    item.follow(previous);
    return;
  }
  const stored = previous === undefined ? await storedEqual(batch, item) : undefined;
  if (stored !== undefined && (await isInForce(batch, target, stored))) item.settle(stored);
  else latest.set(target, item);
};

const isInForce = async ({ transaction }: SettleBatch, id: string, ttl: StoredFact): Promise<boolean> => {
  const [expiry] = await transaction.expiries([{ tenantId: ttl.tenantId, id }]);
  return expiry !== undefined && compareHlc(ttl.hlc, expiry.hlc) === 0;
};

/** The live fact, stored before this transaction, that the item repeats. */
const storedEqual = async (batch: SettleBatch, item: SettleableItem): Promise<StoredFact | undefined> => {
  const { fact } = item;
  const siblings = fact.system ? await systemSiblings(batch, fact) : batch.siblings(item);
  const twin = siblings.find((sibling) => repeats(fact, sibling, sibling.interpretAs));
  if (twin !== undefined) return batch.transaction.get(twin.tenantId, twin.id);
  return siblings.length < SIBLING_LIMIT || fact.system ? undefined : findEqual(batch, fact);
};

/** Batches bring no siblings of system facts, because system facts have no rivals. Some are repeated nevertheless. */
const systemSiblings = async (
  { transaction, nowMs }: SettleBatch,
  fact: PreparedFact,
): Promise<readonly FactOutline[]> => (await transaction.siblings([fact], nowMs, SIBLING_LIMIT))[0] ?? [];

/**
 * Finds a duplicate among more live facts than one read returns. It searches by content id, because a scan of the
 * triple would hold the append lock. An equal value that is spelled differently is stored once more.
 */
const findEqual = async ({ transaction, nowMs }: SettleBatch, fact: PreparedFact): Promise<StoredFact | undefined> => {
  const alike: Filter[] = [
    equals('tenantId', fact.tenantId),
    equals('entityKey', fact.entityKey),
    equals('relationKey', fact.relationKey),
    equals('scope', fact.scope),
    equals('place', fact.gardenId ?? ''),
    equals('cid', fact.cid),
    equals('assertedBy', fact.assertedBy ?? ''),
  ];
  const filter = liveAmong(all(...alike), { nowMs });
  const found = await transaction.find({ filter, order: 'hlc', limit: SIBLING_LIMIT });
  return found.find((stored) => repeats(fact, stored, stored.value.interpretAs));
};

const repeatsItem = (fact: PreparedFact, { fact: earlier }: SettleableItem): boolean =>
  repeats(fact, earlier, earlier.value.interpretAs);

/** Compares texts as stored, and values by their key. Both facts belong to one triple and place. */
const repeats = (fact: PreparedFact, other: FactOutline | PreparedFact, interpretAs: string): boolean =>
  fact.valueKey === other.valueKey &&
  fact.assertedBy === other.assertedBy &&
  fact.source === other.source &&
  fact.confidence === other.confidence &&
  fact.entity === other.entity &&
  fact.relation === other.relation &&
  fact.validUntil === other.validUntil &&
  fact.value.interpretAs === interpretAs &&
  fact.derivedFrom.length === other.derivedFrom.length &&
  fact.derivedFrom.every((hash, at) => hash === other.derivedFrom[at]);
