import {
  all,
  compareHlc,
  equals,
  type FactReader,
  type Filter,
  type Hlc,
  isIn,
  type LedgerHead,
  LIST_BYTES,
  REDACTED_REFERENCE,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { eligibleFor, isSystemSource, type Requester } from './eligible-facts.ts';
import { withReturned } from './returned-facts.ts';

/** Entries of the ledger that one request looks at, hidden ones included. */
export const ENTRIES_PER_PAGE = 5_000;
/** Entries behind the page among which the facts that follow are counted, for a peer to see how far behind it is. */
export const ENTRIES_COUNTED = 1_000;

export interface PageQuery {
  readonly requester: Requester;
  readonly ownNodeId: string;
  /** Undefined: from the start. */
  readonly after: Hlc | undefined;
  readonly limit: number;
}

export interface ServedPage {
  /** In feed order. */
  readonly facts: readonly StoredFact[];
  /** Where the feed tells of each of them: a fact that was hidden for a while stands there again. */
  readonly stamps: readonly Hlc[];
  /** Stamp of the last entry looked at; null while the feed is empty. */
  readonly cursor: Hlc | null;
  readonly hasMore: boolean;
  /** Eligible facts among the next entries; null where no more follow. */
  readonly remaining: number | null;
  readonly epoch: string;
}

type Newest = NonNullable<LedgerHead['newest']>;
type Place = Newest;

/**
 * One page of the feed for a peer, from one snapshot. Numbers of the ledger bound what is looked at, so that a request
 * costs the same however many facts are hidden from the peer, and its cursor moves past them.
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

/** Number of the first fact behind the cursor; undefined where nothing follows. */
const firstAfter = async (
  { snapshot, caller }: FactReader,
  after: Hlc | undefined,
  newest: Newest,
): Promise<number | undefined> => {
  if (after === undefined) return snapshot.ledgerNumberAt(caller.tenantId, START);
  if (compareHlc(after, newest.feed) >= 0) return undefined;
  return snapshot.ledgerNumberAt(caller.tenantId, stampBehind(after));
};

const START: Hlc = { wallMs: 0, counter: 0 };
/** The largest counter that a column holds. */
const LAST_COUNTER = 2 ** 31 - 1;

/** The next stamp that there may be. */
export const stampBehind = ({ wallMs, counter }: Hlc): Hlc =>
  counter < LAST_COUNTER ? { wallMs, counter: counter + 1 } : { wallMs: wallMs + 1, counter: 0 };

interface Window {
  readonly first: number;
  readonly newest: Newest;
  readonly filter: Filter;
  readonly limit: number;
}

/** Eligible facts of the window, and the place of the last entry that was looked at. */
const readWindow = async (
  reader: FactReader,
  { first, newest, filter, limit }: Window,
): Promise<{ readonly facts: readonly StoredFact[]; readonly last: Place }> => {
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
  // Where their values are long, fewer facts were read than are in the window.
  const cutAt = found.length < ids.length ? served.find(({ factId }) => factId === lastFact?.id) : undefined;
  const last = cutAt ?? (isFull ? served.at(-1) : undefined) ?? (await endOf(reader, range, newest));
  return { facts: found.filter(isWhole), last };
};

/** Erasure takes the content id. Of a received fact with a redacted reference nobody can prove who said it. */
const isWhole = ({ cid, receivedFrom, derivedFrom }: StoredFact): boolean =>
  cid !== '' && (receivedFrom === null || !derivedFrom.includes(REDACTED_REFERENCE));

const factsOf = async ({ snapshot, caller }: FactReader, ids: readonly string[]): Promise<StoredFact[]> => {
  if (ids.length === 0) return [];
  const filter = all(equals('tenantId', caller.tenantId), isIn('id', ids));
  return snapshot.find({ filter, order: 'feed', limit: ids.length, maxBytes: LIST_BYTES });
};

/** The last entry of the window, eligible or not. */
const endOf = async (
  { snapshot }: FactReader,
  range: { readonly tenantId: string; readonly above: number; readonly below: number },
  newest: Newest,
): Promise<Place> => {
  if (newest.number < range.below) return newest;
  const [last] = await snapshot.ledger({ ...range, order: 'newest', limit: 1, members: ['number', 'feed'] });
  return last ?? newest;
};

const countBeyond = ({ snapshot, caller }: FactReader, above: number, filter: Filter): Promise<number> =>
  snapshot.ledgerCount({ tenantId: caller.tenantId, above, below: above + 1 + ENTRIES_COUNTED, filter });
