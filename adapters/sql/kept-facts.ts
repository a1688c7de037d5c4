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
import { MAX_SHORT_BYTES, rowsWithin } from './bounded-facts.ts';
import type { KeptFacts } from './fact-cache.ts';

/**
 * What tells whether a kept fact is still what the store has. Facts never change, but for what erasure and redaction
 * take: value, content id and references. The stamp tells a fact from another one of the same id, which a restored
 * store may have. The value is there in full, so that one which somebody changed behind the node's back is read anew
 * and found out.
 */
export const TRACE_COLUMNS = ['id', 'feed_wall', 'feed_ctr', 'confidence', 'derived_from'] as const;

type TraceRow = readonly [
  id: string,
  feedWall: number,
  feedCtr: number,
  confidence: number,
  derivedFrom: string | null,
  hasCid: number | boolean,
  shortValue: string | null,
  valueBytes: number | null,
];

const BYTES_COLUMN = TRACE_COLUMNS.length + 2;

/** The two statements of one snapshot. */
export interface KeptReads {
  /** Rows of `TRACE_COLUMNS`, whether there is a content id, a value that is not long, and the length of the value. */
  traces(query: FactQuery): Promise<SqlValue[][]>;
  whole(query: FactQuery): Promise<StoredFact[]>;
}

/**
 * Answers a query from what is kept, as far as the store confirms it: the query itself always goes to the store, so
 * that who asks finds what it finds without this, and what others have read shows neither in the answer nor in which
 * statements are run for facts that are hidden.
 */
export const findKept = async (
  query: FactQuery,
  tenantId: string,
  cache: KeptFacts,
  reads: KeptReads,
): Promise<StoredFact[]> => {
  const found = await reads.traces(query);
  const rows = query.maxBytes === undefined ? found : rowsWithin(found, query.maxBytes, BYTES_COLUMN);
  const missing: string[] = [];
  const facts = rows.map((row) => {
    const trace = row as unknown as TraceRow;
    const kept = cache.get(tenantId, trace[0]);
    if (kept !== undefined && agrees(kept, trace)) return kept;
    missing.push(trace[0]);
    return undefined;
  });
  if (missing.length === 0) return facts as StoredFact[];
  const filter = all(equals('tenantId', tenantId), isIn('id', missing));
  const read = new Map(
    (await reads.whole({ filter, order: 'any', limit: missing.length })).map((fact) => [fact.id, fact]),
  );
  return rows.flatMap((row, at) => {
    const known = facts[at];
    if (known !== undefined) return known;
    const [id, , , , , , , bytes] = row as unknown as TraceRow;
    const fact = read.get(id);
    if (fact === undefined) return [];
    if (Number(bytes ?? 0) <= MAX_SHORT_BYTES) cache.put(frozen(fact));
    return fact;
  });
};

const agrees = (kept: StoredFact, trace: TraceRow): boolean => {
  const [, feedWall, feedCtr, confidence, derivedFrom, hasCid, value] = trace;
  return (
    kept.feed.counter === feedCtr &&
    kept.feed.wallMs === feedWall &&
    kept.confidence === confidence &&
    (kept.cid !== '') === Boolean(hasCid) &&
    (kept.derivedFrom.length === 0 ? derivedFrom === null : JSON.stringify(kept.derivedFrom) === derivedFrom) &&
    storedText(kept.value.v) === value
  );
};

/** Many readers share it. */
const frozen = (fact: StoredFact): StoredFact => {
  for (const part of [fact.value, fact.hlc, fact.feed, fact.derivedFrom]) Object.freeze(part);
  return Object.freeze(fact);
};

/** The tenant that every fact of a filter belongs to, where it says so at its top. */
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
