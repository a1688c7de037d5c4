import type { LedgerRange } from '../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  type Filter,
  type Hlc,
  isNull,
  type LedgerEntry,
  matchKey,
  not,
  type PluginSnapshot,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { EntryPosition, RecordedEntry } from './audit-api.ts';
import { FACT_WRITE } from './audit-words.ts';
import { factEntryId, feedOfEntry } from './entry-id.ts';
import type { MatchingEntries, StoredFilter } from './matching-entries.ts';

/**
 * Reads the `fact_write` entries from the tenant's ledger: one for each stored fact. They have no rows of their own, so
 * every stored fact has its entry.
 */
export const factEntries = async (
  filter: StoredFilter,
  snapshot: PluginSnapshot,
  names: ServiceNames,
): Promise<MatchingEntries> => {
  const { tenantId } = filter;
  const bounds = await boundsOf(filter, snapshot);
  const range: LedgerRange = { tenantId, ...bounds, ...conditionsOf(filter, names) };
  const isEmpty = isForOthers(filter);
  return {
    async inOrder(afterSeq, limit) {
      if (isEmpty) return [];
      const above = Math.max(afterSeq, bounds.above);
      return (await snapshot.ledger({ ...range, above, order: 'oldest', limit, members: MEMBERS })).map(entryOfFact);
    },
    async newestFirst(after, limit) {
      if (isEmpty) return [];
      const behind = after === undefined ? undefined : await numberBehind(after, tenantId, snapshot);
      const below = lower(bounds.below, behind);
      return (await snapshot.ledger({ ...range, below, order: 'newest', limit, members: MEMBERS })).map(entryOfFact);
    },
    async count() {
      if (isEmpty) return 0;
      if (filter.attested !== false) return snapshot.ledgerCount(range);
      // Facts without a key are not in the index, so their count is the difference of two indexed counts.
      const count = async (attested: true | undefined): Promise<number> =>
        snapshot.ledgerCount({ ...range, ...conditionsOf({ ...filter, attested }, names) });
      return (await count(undefined)) - (await count(true));
    },
  };
};

/** Returns true if the filter selects another entity than the only one whose entries the caller may read. */
const isForOthers = ({ entityUri, ownedBy }: StoredFilter): boolean =>
  entityUri !== undefined && ownedBy !== undefined && entityUri !== ownedBy;

interface Bounds {
  readonly above: number;
  readonly below: number | undefined;
}

const instant = (ms: number): Hlc => ({ wallMs: ms, counter: 0 });

/** Translates a time range into a range of ledger numbers, which grow with the feed stamps. */
const boundsOf = async ({ tenantId, sinceMs, untilMs }: StoredFilter, snapshot: PluginSnapshot): Promise<Bounds> => {
  const from = sinceMs === undefined ? 0 : await snapshot.ledgerNumberAt(tenantId, instant(sinceMs));
  return {
    above: from === undefined ? Number.MAX_SAFE_INTEGER : from - 1,
    below: untilMs === undefined ? undefined : await snapshot.ledgerNumberAt(tenantId, instant(untilMs + 1)),
  };
};

/** Returns the ledger number below which the entries after this position lie; undefined for all entries. */
const numberBehind = async (
  { tsMs, id }: EntryPosition,
  tenantId: string,
  snapshot: PluginSnapshot,
): Promise<number | undefined> => {
  const feed = feedOfEntry(tsMs, id);
  const bound = await snapshot.ledgerNumberAt(tenantId, feed);
  if (bound === undefined) return undefined;
  const [entry] = await snapshot.ledger({ tenantId, above: bound - 1, order: 'oldest', limit: 1, members: MEMBERS });
  const isLower = entry !== undefined && compareHlc(entry.feed, feed) === 0 && factEntryId(entry) < id;
  return isLower ? bound + 1 : bound;
};

const lower = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

const conditionsOf = (
  { entityUri, ownedBy, oidcSub, source, factId, attested }: StoredFilter,
  names: ServiceNames,
): Pick<LedgerRange, 'writer' | 'writerSub' | 'filter'> => {
  const conditions: Filter[] = [];
  if (factId !== undefined) conditions.push(equals('id', factId));
  // The index holds keys, and several sources may share one.
  if (source !== undefined) conditions.push(equals('sourceKey', matchKey(source, names)), equals('source', source));
  if (attested === true) conditions.push(not(isNull('attestedKeyId')));
  if (attested === false) conditions.push(isNull('attestedKeyId'));
  return {
    writer: ownedBy ?? entityUri,
    writerSub: oidcSub,
    filter: conditions.length === 0 ? undefined : all(...conditions),
  };
};

/** The members of a ledger entry that an audit entry needs. */
const MEMBERS = [
  'tenantId',
  'number',
  'factId',
  'source',
  'attestedKeyId',
  'feed',
  'writer',
  'writerSub',
] as const satisfies readonly (keyof LedgerEntry)[];

type LoggedEntry = Pick<LedgerEntry, (typeof MEMBERS)[number]>;

const entryOfFact = (entry: LoggedEntry): RecordedEntry => ({
  seq: entry.number,
  id: factEntryId(entry),
  event: FACT_WRITE.id,
  tenantId: entry.tenantId,
  entityUri: entry.writer,
  oidcSub: entry.writerSub,
  factId: entry.factId,
  source: entry.source,
  attestedKeyId: entry.attestedKeyId,
  tsMs: entry.feed.wallMs,
  detail: null,
  detailSalt: null,
  detailHash: null,
  detailIsGone: false,
  link: null,
});
