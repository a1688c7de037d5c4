import { type LedgerHead, LIST_BYTES, REDACTED_REFERENCE } from '../../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  type FactReader,
  type Filter,
  type Hlc,
  isIn,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { eligibleFor, isSystemSource, type Requester } from './eligible-facts.ts';
import { withReturned } from './returned-facts.ts';

/** The number of ledger entries that one request reads, hidden facts included. */
export const ENTRIES_PER_PAGE = 5_000;
/**
 * The number of ledger entries after the page among which the remaining facts are counted, so that a peer can report
 * how far it lags.
 */
export const ENTRIES_COUNTED = 1_000;

export interface PageQuery {
  readonly requester: Requester;
  readonly ownNodeId: string;
  /** The stamp after which the page starts; undefined for the start of the feed. */
  readonly after: Hlc | undefined;
  readonly limit: number;
}

export interface ServedPage {
  /** The facts in feed order. */
  readonly facts: readonly StoredFact[];
  /** The stamps of the facts' feed entries. A fact that was hidden for a while has a second, later entry. */
  readonly stamps: readonly Hlc[];
  /** The stamp of the last entry read; null while the feed is empty. */
  readonly cursor: Hlc | null;
  readonly hasMore: boolean;
  /** The number of eligible facts among the next entries; null if no entry follows. */
  readonly remaining: number | null;
  readonly epoch: string;
}

type LedgerPlace = NonNullable<LedgerHead['newest']>;

/**
 * Reads one page of the feed for a peer, from one snapshot. The page covers a limited range of ledger numbers, so its
 * cost does not depend on facts hidden from the peer, and the cursor moves past them.
 */
export const readPage = async (reader: FactReader, query: PageQuery): Promise<ServedPage> => {
  const { snapshot, caller } = reader;
  const epoch = await snapshot.epoch();
  const { newest } = await snapshot.ledgerHead(caller.tenantId);
  if (newest === null) return { facts: [], stamps: [], cursor: null, hasMore: false, remaining: null, epoch };
  const first = await firstAfter(reader, query.after, newest);
  const filter = all(await reader.constraint('visible'), eligibleFor(query.requester, query.ownNodeId));
  const window = { filter, limit: query.limit };
  const found =
    first === undefined ? { facts: [], last: newest } : await readWindow(reader, { ...window, first, newest });
  const page = await withReturned(reader, found, { ...window, after: query.after ?? START });
  const hasMore = page.isCut || found.last.number < newest.number;
  const remaining = hasMore ? await countBeyond(reader, found.last.number, filter) : null;
  return { facts: page.facts, stamps: page.stamps, cursor: page.end, hasMore, remaining, epoch };
};

/** Returns the ledger number of the first fact after the cursor; undefined without one. */
const firstAfter = async (
  { snapshot, caller }: FactReader,
  after: Hlc | undefined,
  newest: LedgerPlace,
): Promise<number | undefined> => {
  if (after === undefined) return snapshot.ledgerNumberAt(caller.tenantId, START);
  if (compareHlc(after, newest.feed) >= 0) return undefined;
  return snapshot.ledgerNumberAt(caller.tenantId, stampBehind(after));
};

const START: Hlc = { wallMs: 0, counter: 0 };
/** The largest counter that a column holds. */
const LAST_COUNTER = 2 ** 31 - 1;

/** Returns the stamp directly after this one. */
export const stampBehind = ({ wallMs, counter }: Hlc): Hlc =>
  counter < LAST_COUNTER ? { wallMs, counter: counter + 1 } : { wallMs: wallMs + 1, counter: 0 };

interface Window {
  readonly first: number;
  readonly newest: LedgerPlace;
  readonly filter: Filter;
  readonly limit: number;
}

/** Returns the eligible facts of the window, and the position of the last entry read. */
const readWindow = async (
  reader: FactReader,
  { first, newest, filter, limit }: Window,
): Promise<{ readonly facts: readonly StoredFact[]; readonly last: LedgerPlace }> => {
  const { snapshot, caller } = reader;
  const { tenantId } = caller;
  const range = { tenantId, above: first - 1, below: first + ENTRIES_PER_PAGE };
  const entries = await snapshot.ledger({
    ...range,
    filter,
    order: 'oldest',
    limit: limit + 1,
    members: ['factId', 'number', 'feed', 'source'],
  });
  const isFull = entries.length > limit;
  const served = entries.slice(0, limit);
  const ids = served.filter(({ source }) => !isSystemSource(source)).map(({ factId }) => factId);
  const found = await factsOf(reader, ids);
  const lastFact = found.at(-1);
  // Long values may exceed the byte limit, so fewer facts are read than the range holds.
  const cutAt = found.length < ids.length ? served.find(({ factId }) => factId === lastFact?.id) : undefined;
  const last = cutAt ?? (isFull ? served.at(-1) : undefined) ?? (await endOf(reader, range, newest));
  return { facts: found.filter(isWhole), last };
};

/**
 * Returns false for an erased fact, which has no content id, and for a damaged one. Also returns false for a received
 * fact with a redacted reference, because its origin can no longer be proven.
 */
const isWhole = ({ cid, damage, receivedFrom, derivedFrom }: StoredFact): boolean =>
  cid !== '' && damage === undefined && (receivedFrom === null || !derivedFrom.includes(REDACTED_REFERENCE));

const factsOf = async ({ snapshot, caller }: FactReader, ids: readonly string[]): Promise<StoredFact[]> => {
  if (ids.length === 0) return [];
  const filter = all(equals('tenantId', caller.tenantId), isIn('id', ids));
  return snapshot.find({ filter, order: 'feed', limit: ids.length, maxBytes: LIST_BYTES });
};

/** Returns the last entry of the window, eligible or not. */
const endOf = async (
  { snapshot }: FactReader,
  range: { readonly tenantId: string; readonly above: number; readonly below: number },
  newest: LedgerPlace,
): Promise<LedgerPlace> => {
  if (newest.number < range.below) return newest;
  const [last] = await snapshot.ledger({ ...range, order: 'newest', limit: 1, members: ['number', 'feed'] });
  return last ?? newest;
};

const countBeyond = ({ snapshot, caller }: FactReader, above: number, filter: Filter): Promise<number> =>
  snapshot.ledgerCount({ tenantId: caller.tenantId, above, below: above + 1 + ENTRIES_COUNTED, filter });
