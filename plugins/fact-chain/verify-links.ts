import { type ChainPlace, type FactLink, isIntact, isSameLink, type LedgerHead } from '../../kernel/internal-api.ts';
import { isIn, type LedgerEntry, type PluginSnapshot, type StoredFact } from '../../kernel/plugin-api.ts';
import { commitmentOf, linkAfter } from './chain-link.ts';
import { chainMismatch } from './chain-mismatch.ts';
import { factsOf } from './extend-chain.ts';

/** The reads of a snapshot, or of a migration. */
type ChainSource = Pick<PluginSnapshot, 'find' | 'ledger'>;

export interface Stretch {
  readonly tenantId: string;
  /** The last verified place. Undefined at the start. */
  readonly from: ChainPlace | undefined;
  readonly head: LedgerHead;
  /** The maximum number of links to hash. */
  readonly limit: number;
}

/** Verifies links and their facts after a verified place. Returns the new place. Throws `fact_chain_mismatch` (409). */
export const verifyLinks = async (
  { tenantId, from, head, limit }: Stretch,
  snapshot: ChainSource,
): Promise<ChainPlace | undefined> => {
  const end = head.linked;
  const below = end === null ? 0 : end.number + 1;
  const entries = await snapshot.ledger({ tenantId, above: from?.number, below, order: 'oldest', limit });
  const facts = await factsOf(tenantId, entries, snapshot);
  const place = verifyEntries(entries, facts, from);
  const isAtEnd = entries.length < limit || place?.number === end?.number;
  if (isAtEnd && !isSameLink(place?.link, end?.link)) {
    throw chainMismatch('a fact is missing', { seq: (end ?? place)?.link.seq ?? 0, factId: null });
  }
  return place;
};

/** Verifies successive links after a place. Returns the last one. Throws `fact_chain_mismatch` (409). */
export const verifyEntries = (
  entries: readonly LedgerEntry[],
  facts: ReadonlyMap<string, StoredFact>,
  from: ChainPlace | undefined,
): ChainPlace | undefined => {
  let place = from;
  for (const entry of entries) {
    place = { number: entry.number, link: verifyLink(entry, place?.link ?? null, facts.get(entry.factId)) };
  }
  return place;
};

/**
 * Verifies the links of facts that a caller is about to see. A new fact without a link is verified later with the
 * chain.
 */
export const verifyShown = async (
  shown: readonly StoredFact[],
  { tenantId, head }: Pick<Stretch, 'tenantId' | 'head'>,
  snapshot: ChainSource,
): Promise<void> => {
  if (shown.length === 0) return;
  const ids = shown.map(({ id }) => id);
  const entries = await snapshot.ledger({ tenantId, filter: isIn('id', ids), order: 'oldest', limit: ids.length });
  // A fact that was erased after it was read is verified in its stored form.
  const erased = entries.filter(({ commitment }) => commitment !== null);
  const facts = new Map(shown.map((fact) => [fact.id, fact]));
  for (const [id, fact] of await factsOf(tenantId, erased, snapshot)) facts.set(id, fact);
  const known = new Map(entries.flatMap(({ link }) => (link === null ? [] : [[link.seq, link] as const])));
  await Promise.all(
    entries.map(async (entry) => {
      if (entry.link === null && entry.number > (head.linked?.number ?? 0)) return;
      const previous = await linkBefore(entry, known, snapshot);
      verifyLink(entry, previous, facts.get(entry.factId));
    }),
  );
};

const linkBefore = async (
  { tenantId, number, link }: LedgerEntry,
  known: ReadonlyMap<number, FactLink>,
  snapshot: ChainSource,
): Promise<FactLink | null> => {
  const neighbour = link === null ? undefined : known.get(link.seq - 1);
  if (neighbour !== undefined) return neighbour;
  const [before] = await snapshot.ledger({ tenantId, below: number, order: 'newest', limit: 1 });
  return before?.link ?? null;
};

/** Returns the link of an entry if it matches its fact and the previous link; throws otherwise. */
const verifyLink = (entry: LedgerEntry, previous: FactLink | null, fact: StoredFact | undefined): FactLink => {
  const { factId, link } = entry;
  const seq = (previous?.seq ?? 0) + 1;
  if (link?.seq !== seq) throw chainMismatch('a link is missing', { seq: link?.seq ?? seq, factId });
  if (fact === undefined) throw chainMismatch('a fact is missing', { seq, factId });
  if (holds(() => isSameLink(linkAfter(previous, fact, commitmentOf(fact, entry)), link))) return link;
  const isSound = entry.commitment !== null || isIntact(fact);
  throw chainMismatch(isSound ? 'a link does not fit its fact' : 'a fact was changed', { seq, factId });
};

/** Returns false if the check throws, because a tampered row may contain values that cannot be hashed. */
const holds = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};
