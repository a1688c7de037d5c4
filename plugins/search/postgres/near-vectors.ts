import { MOST_COMPARED, spreadOf } from '../index/dense-search.ts';
import type { Hit, SearchAnswer, Spread } from '../search-api.ts';
import { dot, movedTowards, scale, unit } from '../vectors/unit-vectors.ts';
import { NEWEST_FIRST, type OpenedView } from './opened-view.ts';
import { standsBeside } from './session-neighbourhood.ts';
import { type Fragment, sql, verbatim } from './sql-fragment.ts';
import { literal } from './sql-literal.ts';
import { type QueriedRows, queryRows } from './vector-rows.ts';

/** The generations that serve the vectors of one embedder, the target first. */
export interface ServedGenerations {
  readonly target: string;
  /** The generation that serves facts without a vector of the target. */
  readonly before: string | undefined;
  /** Those of the two that one embedder made. */
  readonly searched: readonly string[];
}

/** The least number of vectors, nearest by their signs, that are compared exactly, and their number for each hit. */
const LEAST_CANDIDATES = 2_048;
const CANDIDATES_PER_HIT = 16;

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
    const candidates = Math.max(LEAST_CANDIDATES, limit * CANDIDATES_PER_HIT);
    const { signs, cosine } = this.#queried;
    const rows = await this.#opened.rows(
      sql`SELECT * FROM (
          SELECT d.fact_id, d.hlc_wall, d.hlc_ctr, ${cosine} AS score FROM (
            SELECT d.fact_id, d.hlc_wall, d.hlc_ctr, v.seq, v.tenant_id FROM ${this.#pairs}
            ORDER BY v.signs <~> ${signs} LIMIT ${candidates}::int8) d
          JOIN search_postgres_vectors v USING (tenant_id, seq)) d
        WHERE d.score >= ${floor}::float8 ORDER BY d.score DESC, ${NEWEST_FIRST} LIMIT ${limit}::int8`,
    );
    return rows.map(hitFromRow);
  }

  /** Compares an even sample of the facts of each part. */
  async spread(): Promise<Spread> {
    const { cosine } = this.#queried;
    const rows = await this.#opened.rows(
      sql`SELECT ${cosine} AS score FROM (
          SELECT d.feed_wall, d.feed_ctr,
            row_number() OVER (PARTITION BY d.part ORDER BY d.feed_wall, d.feed_ctr) - 1 AS place, count(*) OVER () AS total
          FROM search_postgres_facts d WHERE ${this.#opened.accepted}) d
        JOIN search_postgres_vectors v ON v.feed_wall = d.feed_wall AND v.feed_ctr = d.feed_ctr AND ${this.#isSearched}
        WHERE d.place % ((d.total + ${MOST_COMPARED - 1}::int8) / ${MOST_COMPARED}::int8) = 0`,
    );
    return spreadOf(Float64Array.from(rows, (row) => Number(row['score'])));
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
   * Returns the neighbourhood after the vector has moved half-way towards some texts. Empty for fewer than two texts,
   * if one of them cannot be compared, or if one stands beside others in its session.
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
      after.set(id, dot(movedTowards(others, this.#vector), unit(codes[at] as Float32Array)));
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
        const vector = Float32Array.from(String(row['code']).slice(1, -1).split(','), Number);
        scale(vector, Number(row['scale']));
        return [String(row['fact_id']), vector];
      }),
    );
    return ids.flatMap((id) => vectors.get(id) ?? []);
  }

  /** Joins the facts of the view with their vectors. Further conditions may follow. */
  get #pairs(): Fragment {
    return sql`search_postgres_facts d JOIN search_postgres_vectors v
      ON v.feed_wall = d.feed_wall AND v.feed_ctr = d.feed_ctr AND ${this.#isSearched} WHERE ${this.#opened.accepted}`;
  }

  /** Selects the one vector by which a fact is found. */
  get #isSearched(): Fragment {
    const { target, before, searched } = this.#served;
    const ofTarget = sql`v.embedder = ${target}`;
    const ofBefore = sql`v.embedder = ${before ?? ''} AND NOT EXISTS (SELECT 1 FROM search_postgres_vectors o
      WHERE o.feed_wall = v.feed_wall AND o.feed_ctr = v.feed_ctr AND o.embedder = ${target})`;
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
