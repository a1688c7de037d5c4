import { vectorOfCode } from '../codes/quantise.ts';
import { MOST_COMPARED, spreadOf } from '../index/dense-search.ts';
import type { Hit, SearchAnswer, Spread } from '../search-api.ts';
import { dot, movedTowards } from '../vectors/unit-vectors.ts';
import { LEAST_READ, NEWEST_FIRST, type OpenedView } from './opened-view.ts';
import { SIGNS_TABLE, VECTORS_TABLE } from './postgres-tables.ts';
import { standsBeside } from './session-neighbourhood.ts';
import { type Fragment, sql, verbatim } from './sql-fragment.ts';
import { literal } from './sql-literal.ts';
import { type QueriedRows, queryRows } from './vector-rows.ts';

/** The generations of vectors to search for one embedder, the target first. */
export interface ServedGenerations {
  readonly target: string;
  /** The previous generation, which serves facts without a vector of the target. */
  readonly before: string | undefined;
  /** Those of the two generations that this embedder made. */
  readonly searched: readonly string[];
}

/** The minimum number of vectors, nearest by their signs, that are compared exactly, and the number for each hit. */
const LEAST_CANDIDATES = 2_048;
const CANDIDATES_PER_HIT = 16;
/** Reads twice as many candidates, because some of their facts may have ended. */
const SPARE = 2;

/** The vectors of a sample, each with the stamp of its fact. */
interface Sample {
  readonly walls: readonly number[];
  readonly counters: readonly number[];
  readonly embedders: readonly string[];
}

/** The neighbourhood of one vector, among the facts that a view may find. */
export class NearVectors {
  readonly #opened: OpenedView;
  readonly #served: ServedGenerations;
  readonly #vector: Float32Array;
  readonly #queried: QueriedRows;

  constructor(opened: OpenedView, served: ServedGenerations, vector: Float32Array) {
    this.#opened = opened;
    this.#served = served;
    this.#vector = vector;
    this.#queried = queryRows(vector);
  }

  async hits(floor: number, limit: number): Promise<readonly Hit[]> {
    if (limit < 1) return [];
    const read = Math.max(limit, LEAST_READ);
    const { buffer, byteOffset, byteLength } = this.#vector;
    const name = `near ${read} ${this.#served.searched.join()} ${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
    const best = await this.#opened.once(name, () => this.#nearest(read));
    return best.slice(0, limit).filter(({ score }) => score >= floor);
  }

  async #nearest(limit: number): Promise<readonly Hit[]> {
    const candidates = Math.max(LEAST_CANDIDATES, limit * CANDIDATES_PER_HIT);
    const isSmall = this.#opened.isNarrow || this.#opened.documents <= candidates * SPARE;
    const rows = isSmall ? [] : await this.#best(this.#nearestOfScanned(candidates), limit);
    // Too few of the nearest vectors belong to facts that the view may find.
    const isShort = Number(rows[0]?.['compared'] ?? 0) < candidates;
    const best = isShort ? await this.#best(this.#nearestOfAll(candidates), limit) : rows;
    return best.map(hitFromRow);
  }

  /** Compares the candidates exactly. */
  #best(nearest: Fragment, limit: number): ReturnType<OpenedView['rows']> {
    return this.#opened.rows(
      sql`SELECT d.fact_id, d.score, count(*) OVER () AS compared FROM (
          SELECT d.fact_id, d.hlc_wall, d.hlc_ctr, ${this.#queried.cosine} AS score FROM (${nearest}) d
          JOIN search_postgres_vectors v USING (feed_wall, feed_ctr, embedder)) d
        ORDER BY d.score DESC, ${NEWEST_FIRST} LIMIT ${limit}::int8`,
    );
  }

  /** Selects the nearest facts by their signs, among the facts of the view. */
  #nearestOfAll(candidates: number): Fragment {
    return sql`SELECT d.fact_id, d.hlc_wall, d.hlc_ctr, s.feed_wall, s.feed_ctr, s.embedder
      FROM search_postgres_facts d JOIN search_postgres_signs s USING (feed_wall, feed_ctr)
      WHERE ${this.#opened.accepted} AND ${this.#opened.signs} AND ${this.#isSearched('s')}
      ORDER BY ${this.#distance}, s.feed_wall, s.feed_ctr LIMIT ${candidates}::int8`;
  }

  /** Selects the nearest facts by their signs, among the nearest of all facts, so that few rows of facts are read. */
  #nearestOfScanned(candidates: number): Fragment {
    const { numbers, realms, passing } = this.#opened;
    return sql`SELECT d.fact_id, d.hlc_wall, d.hlc_ctr, s.feed_wall, s.feed_ctr, s.embedder FROM (
        SELECT s.realm, s.feed_wall, s.feed_ctr, s.embedder, ${this.#distance} AS distance
        FROM search_postgres_signs s WHERE ${this.#opened.signs} AND ${this.#isSearched('s')}
        ORDER BY distance, s.feed_wall, s.feed_ctr LIMIT ${candidates * SPARE}::int8) s
      JOIN unnest(${numbers}::int8[], ${realms}::int8[]) AS r (part, realm) ON r.realm = s.realm
      JOIN search_postgres_facts d ON d.part = r.part AND d.feed_wall = s.feed_wall AND d.feed_ctr = s.feed_ctr
      WHERE ${passing} ORDER BY s.distance, s.feed_wall, s.feed_ctr LIMIT ${candidates}::int8`;
  }

  get #distance(): Fragment {
    return sql`s.signs <~> ${this.#queried.signs}`;
  }

  /** Compares the query with a sample of the facts of the view. */
  async spread(): Promise<Spread> {
    const { walls, counters, embedders } = await this.#opened.once(`sample ${this.#served.searched.join()}`, () =>
      this.#sample(),
    );
    if (walls.length === 0) return spreadOf(new Float64Array());
    const rows = await this.#opened.rows(
      sql`SELECT ${this.#queried.cosine} AS score
        FROM unnest(${walls}::int8[], ${counters}::int4[], ${literal(embedders)}::text[])
          AS d (feed_wall, feed_ctr, embedder)
        JOIN search_postgres_vectors v USING (feed_wall, feed_ctr, embedder)`,
    );
    return spreadOf(Float64Array.from(rows, (row) => Number(row['score'])));
  }

  /** Returns the vectors with the lowest values of `lot`: an even sample, or all vectors of a small view. */
  async #sample(): Promise<Sample> {
    const { numbers, realms, accepted, signs } = this.#opened;
    const rows = await this.#opened.rows(
      sql`SELECT s.feed_wall, s.feed_ctr, s.embedder
        FROM unnest(${numbers}::int8[], ${realms}::int8[]) AS r (part, realm), LATERAL (
          SELECT s.lot, s.feed_wall, s.feed_ctr, s.embedder FROM search_postgres_signs s
          JOIN search_postgres_facts d ON d.part = r.part AND d.feed_wall = s.feed_wall AND d.feed_ctr = s.feed_ctr
          WHERE s.realm = r.realm AND ${signs} AND ${this.#isSearched('s')} AND ${accepted}
          ORDER BY s.lot LIMIT ${MOST_COMPARED}::int8) s
        ORDER BY s.lot LIMIT ${MOST_COMPARED}::int8`,
    );
    return {
      walls: rows.map((row) => Number(row['feed_wall'])),
      counters: rows.map((row) => Number(row['feed_ctr'])),
      embedders: rows.map((row) => String(row['embedder'])),
    };
  }

  /** Returns the similarities, best first, of the given facts that have a vector and that the view may find. */
  async similaritiesOf(ids: readonly string[]): Promise<readonly Hit[]> {
    if (ids.length === 0) return [];
    const rows = await this.#opened.rows(
      sql`SELECT d.fact_id, ${this.#queried.cosine} AS score FROM ${this.#pairs}
        AND d.tenant_id = ${this.#opened.view.tenantId} AND d.fact_id = ANY(${literal(ids)}::text[])
        ORDER BY score DESC, ${NEWEST_FIRST}`,
    );
    return rows.map(hitFromRow);
  }

  /**
   * Returns the neighbourhood after the vector has moved half-way towards some texts. Returns an empty answer for fewer
   * than two texts, if one of them cannot be compared, or if one has neighbours in its session.
   */
  async feedback(from: readonly string[], of: readonly string[]): Promise<SearchAnswer> {
    const codes = from.length < 2 ? [] : await this.#vectorsOf(from);
    if (codes.length === 0 || codes.length < from.length || (await standsBeside(this.#opened, from)))
      return { hits: [] };
    const moved = movedTowards(codes, this.#vector);
    const around = new NearVectors(this.#opened, this.#served, moved);
    const after = new Map((await around.similaritiesOf(of)).map(({ id, score }) => [id, score]));
    for (const [at, id] of from.entries()) {
      const others = codes.filter((_, other) => other !== at);
      after.set(id, dot(movedTowards(others, this.#vector), codes[at] as Float32Array));
    }
    const before = await this.similaritiesOf(of);
    return {
      hits: before.map(({ id, score }) => ({ id, score: after.get(id) ?? score })),
      before: before.map(({ score }) => score),
      spread: await around.spread(),
    };
  }

  /** Returns the stored vectors of facts in their order, without those that cannot be compared. */
  async #vectorsOf(ids: readonly string[]): Promise<Float32Array[]> {
    const rows = await this.#opened.rows(
      sql`SELECT d.fact_id, v.scale, v.code::text AS code FROM ${this.#pairs}
        AND d.tenant_id = ${this.#opened.view.tenantId} AND d.fact_id = ANY(${literal(ids)}::text[])`,
    );
    const vectors = new Map(
      rows.map((row) => {
        const code = Int8Array.from(String(row['code']).slice(1, -1).split(','), Number);
        return [String(row['fact_id']), vectorOfCode({ code, scale: Number(row['scale']) })];
      }),
    );
    return ids.flatMap((id) => vectors.get(id) ?? []);
  }

  /** Joins the facts of the view with their vectors. Further conditions may follow. */
  get #pairs(): Fragment {
    return sql`search_postgres_facts d JOIN search_postgres_vectors v
      ON v.feed_wall = d.feed_wall AND v.feed_ctr = d.feed_ctr AND ${this.#isSearched('v')} WHERE ${this.#opened.accepted}`;
  }

  /** Selects only the one vector, or its signs, by which each fact is found. */
  #isSearched(row: 'v' | 's'): Fragment {
    const { target, before, searched } = this.#served;
    const [name, table] = [verbatim(row), verbatim(row === 'v' ? VECTORS_TABLE : SIGNS_TABLE)];
    const ofTarget = sql`${name}.embedder = ${target}`;
    const ofBefore = sql`${name}.embedder = ${before ?? ''} AND NOT EXISTS (SELECT 1 FROM ${table} o
      WHERE o.feed_wall = ${name}.feed_wall AND o.feed_ctr = ${name}.feed_ctr AND o.embedder = ${target})`;
    const isTarget = searched.includes(target);
    const isBefore = before !== undefined && searched.includes(before);
    if (isTarget && isBefore) return sql`(${ofTarget} OR (${ofBefore}))`;
    if (isTarget) return ofTarget;
    return isBefore ? ofBefore : verbatim('FALSE');
  }
}

const hitFromRow = (row: Readonly<Record<string, unknown>>): Hit => ({
  id: String(row['fact_id']),
  score: Number(row['score']),
});
