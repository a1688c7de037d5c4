import {
  compareHlc,
  type Hlc,
  type ReadableTables,
  type Row,
  type SqlValue,
  sha256Hex,
  type TripleKey,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { contestedUntil, type Lasting, type Reign, type Standing } from './standing.ts';

export const REIGNS = 'conflicts_reigns';
/** Reigns that others have taken the place of, for reads as of earlier moments. */
export const PAST_REIGNS = 'conflicts_past_reigns';

/** A standing, and the feed stamp from which on it counts. */
export interface StoredStanding extends Standing {
  readonly since: Hlc;
}

/** One short text per triple and place, by which its rows are found whatever its length. */
export const placeDigest = (triple: TripleKey): string => sha256Hex(tripleId(triple));

type StoredRow = Readonly<Record<string, SqlValue>>;

/**
 * The standings that are stored for these places, by digest. A place that is not contested may have none, or one that
 * has run out.
 */
export const readStandings = async (
  tables: ReadableTables,
  digests: readonly string[],
): Promise<Map<string, StoredStanding>> => {
  const rows = new Map<string, StoredRow[]>();
  if (digests.length === 0) return new Map();
  for (const row of await tables.select(REIGNS, { triple: digests })) {
    const digest = String(row['triple']);
    const known = rows.get(digest);
    if (known === undefined) rows.set(digest, [row]);
    else known.push(row);
  }
  return new Map([...rows].map(([digest, own]) => [digest, standingOfRows(own)]));
};

/** A place with the standing that it had and those that it comes to have, in the order in which they begin. */
export interface Change {
  readonly triple: TripleKey;
  readonly before: StoredStanding | undefined;
  readonly after: readonly StoredStanding[];
}

/**
 * Stores what changes, and keeps what was so far, unless it was replaced at the stamp that it began with. Only
 * contested places have rows, and nearly all of these one.
 */
export const writeStandings = async (
  tables: WritableTables,
  changes: readonly Change[],
  nowMs: number,
): Promise<void> => {
  const gone: string[] = [];
  const fresh: Row[] = [];
  const past: Row[] = [];
  for (const { triple, before, after } of changes) {
    const digest = placeDigest(triple);
    let current = before;
    for (const next of after) {
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
  if (gone.length > 0) await tables(REIGNS).whereIn('triple', gone).delete();
  if (past.length > 0) await tables.insertRows(PAST_REIGNS, past);
  if (fresh.length > 0) await tables.insertRows(REIGNS, fresh);
};

/** For a migration: the rows of places that had none, in a store from before their past was kept. */
export const insertStandings = async (
  tables: WritableTables,
  places: readonly { readonly triple: TripleKey; readonly standing: Standing }[],
  nowMs: number,
): Promise<void> => {
  const rows = places.flatMap(({ triple, standing }) =>
    contestedUntil(standing) > nowMs ? rowsOf(triple, placeDigest(triple), standing) : [],
  );
  if (rows.length > 0) await tables.insertRows(REIGNS, rows);
};

const isSame = (some: Standing, other: Standing): boolean =>
  some.knownUntilMs === other.knownUntilMs &&
  JSON.stringify([some.reigns, some.lasting, some.contesting]) ===
    JSON.stringify([other.reigns, other.lasting, other.contesting]);

const storedRowsOf = (triple: TripleKey, digest: string, standing: StoredStanding): Row[] =>
  rowsOf(triple, digest, standing).map((row) => ({ ...row, ...stampColumns('since', standing.since) }));

/** Of the reigns, those that began before the next standing did: nobody can ask for the others. */
const pastRowsOf = (triple: TripleKey, digest: string, standing: StoredStanding, until: Hlc): Row[] => {
  const reigns = standing.reigns.filter(({ fromMs }) => fromMs <= until.wallMs);
  const stamps = { ...stampColumns('since', standing.since), ...stampColumns('until', until) };
  return rowsOf(triple, digest, { ...standing, reigns }).map((row) => ({ ...pick(row, PAST_COLUMNS), ...stamps }));
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

const rowsOf = (triple: TripleKey, digest: string, standing: Standing): Row[] => {
  const { tenantId, entityKey, relationKey, scope, gardenId } = triple;
  const { lasting, contesting, knownUntilMs } = standing;
  return standing.reigns.map(({ id, valueKey, confidence, hlc, fromMs, untilMs }) => ({
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
    contested_until_ms: contestedUntil(standing),
    known_until_ms: knownUntilMs,
    lasting_id: lasting?.id ?? '',
    lasting_value_key: lasting?.valueKey ?? '',
    lasting_until_ms: lasting?.untilMs ?? 0,
    contesting_id: contesting?.id ?? '',
    contesting_value_key: contesting?.valueKey ?? '',
  }));
};

const standingOfRows = (rows: readonly StoredRow[]): StoredStanding => {
  const reigns = rows.map(reignOf).sort((a, b) => a.fromMs - b.fromMs || (a.id < b.id ? -1 : 1));
  const [row = {}] = rows;
  return {
    reigns,
    lasting: lastingOf(row, 'lasting', 'lasting_until_ms'),
    contesting: lastingOf(row, 'contesting', 'contested_until_ms'),
    knownUntilMs: Number(row['known_until_ms']),
    since: { wallMs: Number(row['since_wall']), counter: Number(row['since_ctr']) },
  };
};

const reignOf = (row: StoredRow): Reign => ({
  id: String(row['fact_id']),
  valueKey: String(row['value_key']),
  confidence: Number(row['confidence']),
  hlc: { wallMs: Number(row['hlc_wall']), counter: Number(row['hlc_ctr']) },
  fromMs: Number(row['from_ms']),
  untilMs: Number(row['until_ms']),
});

const lastingOf = (row: StoredRow, name: string, until: string): Lasting => ({
  id: String(row[`${name}_id`]),
  valueKey: String(row[`${name}_value_key`]),
  untilMs: Number(row[until]),
});
