import {
  all,
  equals,
  type FactQuery,
  type Filter,
  isIn,
  type SqlValue,
  type StoredFact,
  storedText,
} from '../../ports/ports.ts';
import { MAX_SHORT_BYTES, rowsWithin, unreadAmong } from './bounded-facts.ts';
import type { CacheView } from './fact-cache.ts';

/**
 * Columns that show whether a cached fact still equals the stored one. Stored facts change only by erasure and
 * redaction, which remove value, content id and references. The stamp distinguishes the fact from one with the same id
 * in a restored store. The value is compared as a whole, which detects a change made directly in the database.
 */
export const TRACE_COLUMNS = ['id', 'feed_wall', 'feed_ctr', 'confidence', 'derived_from'] as const;

type TraceRow = readonly [
  id: string,
  feedWall: number,
  feedCtr: number,
  confidence: number,
  derivedFrom: string | null,
  hasCid: number | boolean,
  shortValue: SqlValue,
  valueBytes: number | null,
];

const BYTES_COLUMN = TRACE_COLUMNS.length + 2;

/** The two statements that read from one snapshot. */
export interface CacheReads {
  /** Returns rows with the `TRACE_COLUMNS`, whether there is a content id, the value if it is short, and its length. */
  traces(query: FactQuery): Promise<SqlValue[][]>;
  whole(query: FactQuery): Promise<StoredFact[]>;
  /** Whether the rows hold what facts say sealed. */
  readonly isSealed: boolean;
}

/** The row of a cached fact of a sealed store. Sealing the fact again gives other bytes. */
interface SealedRow {
  readonly derivedFrom: string | null;
  readonly value: SqlValue;
}

const sealedRows = new WeakMap<StoredFact, SealedRow>();

/**
 * Queries the store for the columns that confirm cached facts, and reads only the other facts in full. The result is
 * the same as without a cache. Hidden facts cause the same statements whether or not they are cached, so that timing
 * reveals nothing.
 */
export const findCached = async (
  query: FactQuery,
  tenantId: string,
  cache: CacheView,
  reads: CacheReads,
): Promise<StoredFact[]> => {
  const found = await reads.traces(query);
  const rows = query.maxBytes === undefined ? found : rowsWithin(found, query.maxBytes, BYTES_COLUMN);
  const missing: string[] = [];
  const agrees = reads.isSealed ? agreesSealed : agreesInClear;
  const facts = rows.map((row) => {
    const trace = row as unknown as TraceRow;
    const cached = cache.get(tenantId, trace[0]);
    if (cached !== undefined && agrees(cached, trace)) return cached;
    missing.push(trace[0]);
    return undefined;
  });
  cache.count(tenantId, rows.length - missing.length, missing.length);
  if (missing.length === 0) return facts as StoredFact[];
  const filter = all(equals('tenantId', tenantId), isIn('id', missing));
  const { longValues } = query;
  // The lengths are known here, so that one statement suffices if the limits leave out no value.
  const leavesOut = longValues !== undefined && unreadAmong(rows, longValues, BYTES_COLUMN).size > 0;
  const asked = { filter, order: 'any', limit: missing.length, ...(leavesOut && { longValues }) } as const;
  const read = new Map((await reads.whole(asked)).map((fact) => [fact.id, fact]));
  return rows.flatMap((row, at) => {
    const known = facts[at];
    if (known !== undefined) return known;
    const [id, , , , derivedFrom, , value, bytes] = row as unknown as TraceRow;
    const fact = read.get(id);
    if (fact === undefined) return [];
    // A damaged fact is not cached, so that a repair in the database counts at once.
    if (Number(bytes ?? 0) <= MAX_SHORT_BYTES && fact.damage === undefined) {
      if (reads.isSealed) sealedRows.set(fact, { derivedFrom, value });
      cache.put(frozen(fact));
    }
    return fact;
  });
};

const agreesInClear = (cached: StoredFact, trace: TraceRow): boolean => {
  const [, , , , derivedFrom, , value] = trace;
  return (
    agreesOutside(cached, trace) &&
    (cached.derivedFrom.length === 0 ? derivedFrom === null : JSON.stringify(cached.derivedFrom) === derivedFrom) &&
    storedText(cached.value.v) === value
  );
};

const agreesSealed = (cached: StoredFact, trace: TraceRow): boolean => {
  const known = sealedRows.get(cached);
  const [, , , , derivedFrom, , value] = trace;
  return (
    known !== undefined &&
    agreesOutside(cached, trace) &&
    known.derivedFrom === derivedFrom &&
    areEqual(known.value, value)
  );
};

const agreesOutside = (cached: StoredFact, [, feedWall, feedCtr, confidence, , hasCid]: TraceRow): boolean =>
  cached.feed.counter === feedCtr &&
  cached.feed.wallMs === feedWall &&
  cached.confidence === confidence &&
  (cached.cid !== '') === Boolean(hasCid);

const areEqual = (one: SqlValue, other: SqlValue): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other;

/** Freezes a fact, because many readers share it. */
const frozen = (fact: StoredFact): StoredFact => {
  for (const part of [fact.value, fact.hlc, fact.feed, fact.derivedFrom]) Object.freeze(part);
  return Object.freeze(fact);
};

/**
 * Returns the tenant that a filter names at its top level, to which all matching facts belong; undefined without one.
 */
export const tenantOf = (filter: Filter): string | undefined => {
  const parts = filter.kind === 'all' ? filter.of : [filter];
  for (const part of parts) {
    if (part.kind === 'all') {
      const inner = tenantOf(part);
      if (inner !== undefined) return inner;
    }
    if (part.kind === 'in' && part.field === 'tenantId' && part.values.length === 1) return String(part.values[0]);
  }
  return undefined;
};
