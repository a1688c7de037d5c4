import {
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
): Promise<Map<string, Standing>> => {
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

/** A place with the standing that it had and the one that it comes to have. */
export interface Change {
  readonly triple: TripleKey;
  readonly before: Standing | undefined;
  readonly after: Standing;
}

/** Stores what changes. Only contested places have rows, and nearly all of these one. */
export const writeStandings = async (
  tables: WritableTables,
  changes: readonly Change[],
  nowMs: number,
): Promise<void> => {
  const gone: string[] = [];
  const fresh: Row[] = [];
  for (const { triple, before, after } of changes) {
    const isContested = contestedUntil(after) > nowMs;
    if (before === undefined ? !isContested : isContested && isSame(before, after)) continue;
    const digest = placeDigest(triple);
    if (before !== undefined) gone.push(digest);
    if (isContested) fresh.push(...rowsOf(triple, digest, after));
  }
  if (gone.length > 0) await tables(REIGNS).whereIn('triple', gone).delete();
  if (fresh.length > 0) await tables.insertRows(REIGNS, fresh);
};

const isSame = (some: Standing, other: Standing): boolean => JSON.stringify(some) === JSON.stringify(other);

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

const standingOfRows = (rows: readonly StoredRow[]): Standing => {
  const reigns = rows.map(reignOf).sort((a, b) => a.fromMs - b.fromMs || (a.id < b.id ? -1 : 1));
  const [row = {}] = rows;
  return {
    reigns,
    lasting: lastingOf(row, 'lasting', 'lasting_until_ms'),
    contesting: lastingOf(row, 'contesting', 'contested_until_ms'),
    knownUntilMs: Number(row['known_until_ms']),
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
