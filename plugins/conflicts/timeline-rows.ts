import { grouped, type TripleKey, TurnBudget, tripleId } from '../../kernel/internal-api.ts';
import {
  compareHlc,
  type Hlc,
  type ReadableTables,
  type Row,
  type SqlValue,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { contestedUntil, type LongestLived, type Win, type WinnerTimeline } from './winner-timeline.ts';

export const WINS = 'conflicts_wins';
/** The table of earlier winners, for reads of past moments. */
export const PAST_WINS = 'conflicts_past_wins';

/** A winner timeline, and the feed stamp from which it is valid. */
export interface StoredTimeline extends WinnerTimeline {
  readonly since: Hlc;
}

/** Identifies a triple in a garden by a short text of fixed length. */
export const placeDigest = (triple: TripleKey): string => sha256Hex(tripleId(triple));

type StoredRow = Readonly<Record<string, SqlValue>>;

/**
 * Returns the stored timelines of triples, by digest. A triple without contradiction may have none, or an expired one.
 */
export const readTimelines = async (
  tables: ReadableTables,
  tenantId: string,
  digests: readonly string[],
): Promise<Map<string, StoredTimeline>> => {
  if (digests.length === 0) return new Map();
  const rows = await tables.select(WINS, { tenant_id: tenantId, triple: digests });
  const byDigest = grouped(rows, (row) => String(row['triple']));
  return new Map([...byDigest].map(([digest, own]) => [digest, timelineOfRows(own)]));
};

/** A triple with its previous timeline and the timelines that replace it, in order. */
export interface TimelineChange {
  readonly triple: TripleKey;
  readonly before: StoredTimeline | undefined;
  readonly after: readonly StoredTimeline[];
}

/**
 * Stores the changed timelines of one tenant. Moves replaced ones to the table of past winners, unless they were
 * replaced at their own first stamp. Only triples with a contradiction have rows; nearly all of them have one.
 */
export const writeTimelines = async (
  tables: WritableTables,
  changes: readonly TimelineChange[],
  nowMs: number,
): Promise<void> => {
  const gone: string[] = [];
  const fresh: Row[] = [];
  const past: Row[] = [];
  const budget = new TurnBudget();
  for (const { triple, before, after } of changes) {
    const digest = placeDigest(triple);
    let current = before;
    for (const next of after) {
      const pause = budget.take();
      if (pause !== undefined) await pause;
      const isContested = contestedUntil(next) > nowMs;
      if (current === undefined ? !isContested : isContested && isSame(current, next)) continue;
      if (current !== undefined && compareHlc(current.since, next.since) < 0) {
        past.push(...pastRowsOf(triple, digest, current, next.since));
      }
      current = isContested ? next : undefined;
    }
    if (current === before) continue;
    if (before !== undefined) gone.push(digest);
    if (current !== undefined) fresh.push(...storedRowsOf(triple, digest, current));
  }
  const [first] = changes;
  if (first !== undefined && gone.length > 0) {
    await tables(WINS).where({ tenant_id: first.triple.tenantId }).whereIn('triple', gone).delete();
  }
  if (past.length > 0) await tables.insertRows(PAST_WINS, past);
  if (fresh.length > 0) await tables.insertRows(WINS, fresh);
};

/** Compares only ids and times, because facts never change: equal ids mean equal members. */
const isSame = (some: WinnerTimeline, other: WinnerTimeline): boolean =>
  some.knownUntilMs === other.knownUntilMs &&
  isSameSpan(some.lasting, other.lasting) &&
  isSameSpan(some.contesting, other.contesting) &&
  some.wins.length === other.wins.length &&
  some.wins.every((win, at) => isSameWin(win, other.wins[at]));

const isSameWin = (one: Win, other: Win | undefined): boolean =>
  isSameSpan(one, other) && one.fromMs === other?.fromMs && one.contestedUntilMs === other.contestedUntilMs;

const isSameSpan = (one: LongestLived | undefined, other: LongestLived | undefined): boolean =>
  one?.id === other?.id && one?.untilMs === other?.untilMs;

const storedRowsOf = (triple: TripleKey, digest: string, timeline: StoredTimeline): Row[] =>
  rowsOf(triple, digest, timeline).map((row) => ({ ...row, ...stampColumns('since', timeline.since) }));

/** Returns rows only for winners that began before the next timeline, because no read can reach the others. */
const pastRowsOf = (triple: TripleKey, digest: string, timeline: StoredTimeline, until: Hlc): Row[] => {
  const wins = timeline.wins.filter(({ fromMs }) => fromMs <= until.wallMs);
  const stamps = { ...stampColumns('since', timeline.since), ...stampColumns('until', until) };
  return rowsOf(triple, digest, { ...timeline, wins }).map((row) => ({ ...pick(row, PAST_COLUMNS), ...stamps }));
};

const stampColumns = (name: string, { wallMs, counter }: Hlc): Row => ({
  [`${name}_wall`]: wallMs,
  [`${name}_ctr`]: counter,
});

const pick = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));

const PAST_COLUMNS = [
  'triple',
  'tenant_id',
  'entity_key',
  'relation_key',
  'scope',
  'place',
  'fact_id',
  'value_key',
  'confidence',
  'hlc_wall',
  'hlc_ctr',
  'from_ms',
  'until_ms',
  'contested_until_ms',
] as const;

const rowsOf = (triple: TripleKey, digest: string, timeline: WinnerTimeline): Row[] => {
  const { tenantId, entityKey, relationKey, scope, gardenId } = triple;
  const { lasting, contesting, knownUntilMs, begunMs } = timeline;
  return timeline.wins.map(({ id, valueKey, confidence, hlc, fromMs, untilMs, contestedUntilMs }) => ({
    triple: digest,
    tenant_id: tenantId,
    entity_key: entityKey,
    relation_key: relationKey,
    scope,
    place: gardenId ?? '',
    fact_id: id,
    value_key: valueKey,
    confidence,
    hlc_wall: hlc.wallMs,
    hlc_ctr: hlc.counter,
    from_ms: fromMs,
    until_ms: untilMs,
    contested_until_ms: contestedUntilMs,
    known_until_ms: knownUntilMs,
    begun_ms: begunMs,
    lasting_id: lasting?.id ?? '',
    lasting_value_key: lasting?.valueKey ?? '',
    lasting_until_ms: lasting?.untilMs ?? 0,
    contesting_id: contesting?.id ?? '',
    contesting_value_key: contesting?.valueKey ?? '',
    contesting_until_ms: contestedUntil(timeline),
  }));
};

const timelineOfRows = (rows: readonly StoredRow[]): StoredTimeline => {
  const wins = rows.map(winOf).sort((a, b) => a.fromMs - b.fromMs || (a.id < b.id ? -1 : 1));
  const [row = {}] = rows;
  return {
    wins,
    lasting: lastingOf(row, 'lasting', 'lasting_until_ms'),
    contesting: lastingOf(row, 'contesting', 'contesting_until_ms'),
    knownUntilMs: Number(row['known_until_ms']),
    begunMs: Number(row['begun_ms']),
    since: { wallMs: Number(row['since_wall']), counter: Number(row['since_ctr']) },
  };
};

const winOf = (row: StoredRow): Win => ({
  id: String(row['fact_id']),
  valueKey: String(row['value_key']),
  confidence: Number(row['confidence']),
  hlc: { wallMs: Number(row['hlc_wall']), counter: Number(row['hlc_ctr']) },
  fromMs: Number(row['from_ms']),
  untilMs: Number(row['until_ms']),
  contestedUntilMs: Number(row['contested_until_ms']),
});

const lastingOf = (row: StoredRow, name: string, until: string): LongestLived => ({
  id: String(row[`${name}_id`]),
  valueKey: String(row[`${name}_value_key`]),
  untilMs: Number(row[until]),
});
