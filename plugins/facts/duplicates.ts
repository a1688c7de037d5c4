import {
  instantKey,
  isNamed,
  type NamedFact,
  namedBy,
  openAmong,
  type PreparedFact,
  type SettleableItem,
  SIBLING_LIMIT,
} from '../../kernel/internal-api.ts';
import {
  type AppendBatch,
  all,
  compareHlc,
  equals,
  type FactOutline,
  type Filter,
  type NodeSelf,
  noteOf,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { AssertionNote } from './read-assertion.ts';
import { isTtlRelation } from './ttl.ts';
import { ttlTarget } from './ttl-target.ts';

type SettleBatch = AppendBatch<SettleableItem>;

/**
 * Answers a repeated assertion with the fact that is stored already. An assertion repeats a live fact if both are equal
 * in all members that the caller sent. It compares items in order, so a retraction between two equal assertions makes
 * both count.
 */
export const settleDuplicates = async (
  batch: SettleBatch,
  { names, nodeId }: Pick<NodeSelf, 'names' | 'nodeId'>,
): Promise<void> => {
  const triples = new Map<string, TripleInBatch>();
  const ttls = new Map<string, SettleableItem>();
  for (const item of batch.items) {
    if (!item.open) continue;
    let triple = triples.get(item.tripleId);
    if (triple === undefined) {
      triple = { candidates: [], ended: false, named: [] };
      triples.set(item.tripleId, triple);
    }
    const { fact } = item;
    if (fact.replaces.length > 0) triple.named.push(...namedBy(fact, nodeId));
    else if (noteOf(item.notes, AssertionNote) === undefined || fact.confidence === 0) end(triple);
    if (noteOf(item.notes, AssertionNote) === undefined || fact.confidence === 0) continue;
    if (isTtlRelation(fact.relationKey, names)) await settleTtl(batch, item, ttls, names);
    else {
      // Most facts are the first of their entity and relation, and even an empty await takes time.
      const settling = settleOne(batch, item, triple);
      if (settling !== undefined) await settling;
    }
  }
};

/** The effects of the transaction so far on one triple of entity, relation and scope. */
interface TripleInBatch {
  /** The live facts of this transaction. A later phase may still refuse them. */
  candidates: SettleableItem[];
  /** True if the facts stored before this transaction are no longer live. */
  ended: boolean;
  /** The stored facts that a fact of this transaction ends by name. */
  readonly named: NamedFact[];
}

/**
 * Ends the earlier facts of a triple. A retraction does so; so may facts of plugins and peers, such as a resolution.
 */
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
  if (stored !== undefined && !triple.named.some((named) => isNamed(named, stored))) item.settle(stored);
  else keepAsCandidate(batch, item, triple);
};

const keepAsCandidate = ({ nowMs }: SettleBatch, item: SettleableItem, triple: TripleInBatch): void => {
  if (item.fact.validUntilMs === null || item.fact.validUntilMs > nowMs) triple.candidates.push(item);
};

/**
 * Treats a time-to-live as a duplicate only of the one in force. Otherwise a change back to an earlier expiry would be
 * lost.
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

/** Returns the live fact, stored before this transaction, that the item repeats. */
const storedEqual = async (batch: SettleBatch, item: SettleableItem): Promise<StoredFact | undefined> => {
  const { fact } = item;
  const siblings = fact.system ? await systemSiblings(batch, fact) : batch.siblings(item);
  const twin = siblings.find((sibling) => repeats(fact, sibling, sibling.interpretAs));
  if (twin !== undefined) return batch.transaction.get(twin.tenantId, twin.id);
  return siblings.length < SIBLING_LIMIT || fact.system ? undefined : findEqual(batch, fact);
};

/**
 * Reads the earlier system facts of an item's triple. A batch does not contain them, because system facts contradict
 * nothing.
 */
const systemSiblings = async (
  { transaction, nowMs }: SettleBatch,
  fact: PreparedFact,
): Promise<readonly FactOutline[]> => (await transaction.siblings([fact], nowMs, SIBLING_LIMIT))[0] ?? [];

/**
 * Finds a duplicate if a triple has more live facts than one read returns. It searches by content id, because a scan
 * would hold the append lock too long. If only the spelling of the value differs, the fact is stored again.
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
  const filter = openAmong(all(...alike), { nowMs });
  const found = await transaction.find({ filter, order: 'hlc', limit: SIBLING_LIMIT });
  return found.find((stored) => repeats(fact, stored, stored.value.interpretAs));
};

const repeatsItem = (fact: PreparedFact, { fact: earlier }: SettleableItem): boolean =>
  repeats(fact, earlier, earlier.value.interpretAs);

/**
 * Compares texts exactly, values by their match key, and instants as points in time. Both facts have the same entity,
 * relation, scope and garden.
 */
const repeats = (fact: PreparedFact, other: FactOutline | PreparedFact, interpretAs: string): boolean =>
  fact.valueKey === other.valueKey &&
  fact.assertedBy === other.assertedBy &&
  fact.source === other.source &&
  fact.confidence === other.confidence &&
  fact.entity === other.entity &&
  fact.relation === other.relation &&
  isSameInstant(fact.validFrom, other.validFrom) &&
  isSameInstant(fact.validUntil, other.validUntil) &&
  fact.value.interpretAs === interpretAs &&
  isSameList(fact.derivedFrom, other.derivedFrom) &&
  isSameList(fact.replaces, other.replaces);

const isSameInstant = (one: string | null, other: string | null): boolean =>
  one === other || (one !== null && other !== null && instantKey(one) === instantKey(other));

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);
