import { grouped } from '../../../kernel/internal-api.ts';
import { NEIGHBOUR_WEIGHTS } from '../index/session-neighbours.ts';
import { TOGETHER_WEIGHTS } from '../index/words-together.ts';
import type { Hit } from '../search-api.ts';
import { weighTerms } from './find-words.ts';
import { NEWEST_FIRST, type OpenedView } from './opened-view.ts';
import { type Fragment, sql } from './sql-fragment.ts';
import { literal } from './sql-literal.ts';

/** A fact and one of its neighbours in their session. */
interface Beside {
  readonly id: string;
  readonly distance: number;
  readonly neighbour: string;
}

/** Returns the neighbours of the facts that are in an opened part, at most `reach` on each side. */
const besidesOf = async (opened: OpenedView, ids: readonly string[], reach: number): Promise<readonly Beside[]> => {
  if (ids.length === 0) return [];
  const side = (order: 'ASC' | 'DESC', is: '<' | '>'): Fragment => ({
    text: `SELECT d.fact_id, row_number() OVER (ORDER BY d.feed_wall ${order}, d.feed_ctr ${order}) AS distance
      FROM search_postgres_facts d WHERE d.session = seed.session
        AND (d.feed_wall, d.feed_ctr) ${is} (seed.feed_wall, seed.feed_ctr) AND ${opened.accepted.text}
      ORDER BY d.feed_wall ${order}, d.feed_ctr ${order} LIMIT ?::int8`,
    values: [...opened.accepted.values, reach],
  });
  const rows = await opened.rows(
    sql`SELECT seed.fact_id AS seed, n.fact_id, n.distance FROM (
        SELECT d.fact_id, d.session, d.feed_wall, d.feed_ctr FROM search_postgres_facts d
        WHERE d.tenant_id = ${opened.view.tenantId} AND d.fact_id = ANY(${literal(ids)}::text[])
          AND d.session IS NOT NULL AND ${opened.there}) seed,
      LATERAL ((${side('DESC', '<')}) UNION ALL (${side('ASC', '>')})) n`,
  );
  return rows.map((row) => ({
    id: String(row['seed']),
    distance: Number(row['distance']),
    neighbour: String(row['fact_id']),
  }));
};

/** Finds facts near the seeds in their sessions, each with the highest score that one seed gives it. */
export const findBeside = async (opened: OpenedView, seeds: readonly Hit[], limit: number): Promise<readonly Hit[]> => {
  if (limit < 1) return [];
  const besides = await besidesOf(opened, [...new Set(seeds.map(({ id }) => id))], NEIGHBOUR_WEIGHTS.length);
  const given = new Map<string, number>();
  for (const { id, score } of seeds) given.set(id, Math.max(score, given.get(id) ?? 0));
  const scores = new Map<string, number>();
  for (const { id, distance, neighbour } of besides) {
    const score = (given.get(id) as number) * (NEIGHBOUR_WEIGHTS[distance - 1] as number);
    if (score > (scores.get(neighbour) ?? 0)) scores.set(neighbour, score);
  }
  const ids = [...scores.keys()];
  if (ids.length === 0) return [];
  const rows = await opened.rows(
    sql`SELECT d.fact_id FROM search_postgres_facts d
      WHERE d.tenant_id = ${opened.view.tenantId} AND d.fact_id = ANY(${literal(ids)}::text[]) ORDER BY ${NEWEST_FIRST}`,
  );
  const hits = rows.map((row) => ({ id: String(row['fact_id']), score: scores.get(String(row['fact_id'])) as number }));
  return hits.sort((a, b) => b.score - a.score).slice(0, limit);
};

/**
 * Returns the given facts that have neighbours, each with the share of the query that it and its neighbours contain
 * together.
 */
export const findShares = async (
  opened: OpenedView,
  query: string,
  ids: readonly string[],
): Promise<readonly Hit[]> => {
  const besides = await besidesOf(opened, ids, TOGETHER_WEIGHTS.length - 1);
  const around = grouped(besides, ({ id }) => id);
  if (around.size === 0) return [];
  const { terms } = await weighTerms(opened, query);
  const weights = new Map([...terms].reverse().map(({ word, weight }) => [word, weight]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const held = await wordsHeld(opened, [...around.keys(), ...besides.map(({ neighbour }) => neighbour)], terms);
  return ids.flatMap((id) => {
    const others = around.get(id);
    if (others === undefined) return [];
    let share = 0;
    for (const [word, weight] of weights) {
      const distances = others
        .filter(({ neighbour }) => held.get(neighbour)?.has(word))
        .map(({ distance }) => distance);
      const nearest = held.get(id)?.has(word) ? 0 : Math.min(...distances);
      share += weight * (TOGETHER_WEIGHTS[nearest] ?? 0);
    }
    return [{ id, score: total === 0 ? 0 : Math.min(1, share / total) }];
  });
};

/** Returns the numbers of the query words that each fact contains. */
const wordsHeld = async (
  opened: OpenedView,
  ids: readonly string[],
  terms: readonly { readonly term: string; readonly word: number }[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> => {
  const held = new Map<string, Set<number>>();
  if (terms.length === 0) return held;
  // The planner takes a common term for rare and would read all its postings. The limit prevents that.
  const rows = await opened.rows(
    sql`SELECT d.fact_id, q.word FROM search_postgres_facts d
      CROSS JOIN unnest(${terms.map(({ term }) => term)}::int8[], ${terms.map(({ word }) => word)}::int4[]) AS q (term, word)
      CROSS JOIN LATERAL (SELECT 1 FROM search_postgres_words w WHERE w.part = d.part AND w.term = q.term
        AND w.feed_wall = d.feed_wall AND w.feed_ctr = d.feed_ctr LIMIT 1) w
      WHERE d.tenant_id = ${opened.view.tenantId} AND d.fact_id = ANY(${literal([...new Set(ids)])}::text[])`,
  );
  for (const row of rows) {
    const id = String(row['fact_id']);
    held.set(id, (held.get(id) ?? new Set()).add(Number(row['word'])));
  }
  return held;
};

/** Returns true if one of the facts has a neighbour in its session that the view may find. */
export const standsBeside = async (opened: OpenedView, ids: readonly string[]): Promise<boolean> =>
  (await besidesOf(opened, ids, 1)).length > 0;
