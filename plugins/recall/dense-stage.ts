import type { Hit, QueriedVector, SearchAnswer } from '../search/search-api.ts';
import { calibration } from './calibrate-similarity.ts';
import type { Admitted, Search } from './candidate-pool.ts';
import type { QueryVector } from './embed-query.ts';
import { idsOf, type PlannedSearch, type RecallPlan } from './recall-plan.ts';

/** The vector stage is rated by the similarities of this many best hits of the words stage. */
const MOST_BY_WORDS = 10;
/**
 * The query vector moves towards this many best hits of the words stage. On abstracts, larger numbers gave worse
 * results.
 */
const FEEDBACK_FROM = 3;

/** The search by the vectors of one embedder. */
export class DenseStage {
  readonly search: Search;
  readonly #plan: RecallPlan;
  readonly #queried: QueryVector;
  readonly #vector: QueriedVector;
  /** The index of the words step in the plan; undefined if the plan has none. */
  readonly #words: number | undefined;
  readonly #near: number;
  readonly #spread: number;
  readonly #feedback: number;

  constructor(plan: RecallPlan, queried: QueryVector, words: PlannedSearch | undefined, limit: number) {
    const { vector, embedder } = queried;
    const [asked, foundBy] = [{ vector, embedder: embedder.id }, words === undefined ? [] : [words.place]];
    const near = plan.addSearch({ find: 'near', ...asked, floor: embedder.similarityFloor, limit });
    this.search = near.search;
    this.#plan = plan;
    this.#queried = queried;
    this.#vector = asked;
    this.#words = words?.place;
    this.#near = near.place;
    this.#spread = plan.add({ find: 'spread', ...asked, of: { foundBy } });
    const from = { foundBy, first: FEEDBACK_FROM };
    this.#feedback = plan.add({ find: 'feedback', ...asked, from, of: { foundBy: [...foundBy, near.place] } });
  }

  /**
   * Converts the hits of this stage to scores from 0 to 1 that are comparable between embedders. Uses only admitted
   * hits, so that a hidden fact never lowers the score of a visible one. `byWords` are the hits of the words stage,
   * best first. They move the query only if `trust` in them is full.
   */
  async calibrate({ hits, contradicted }: Admitted, byWords: readonly Hit[], trust: number): Promise<Admitted> {
    if (hits.length === 0 && contradicted.length === 0) return { hits, contradicted };
    const words = idsOf(byWords);
    const [spread, feedback] = await Promise.all([
      this.#spreadOf(words.slice(0, MOST_BY_WORDS)),
      trust === 1 ? this.#feedbackOf(words, idsOf([...hits, ...contradicted])) : undefined,
    ]);
    const scoreOf = calibration(
      { hits: hits.map(({ score }) => score), ...spread, trust, moved: feedback?.spread },
      this.#queried.embedder,
    );
    if (feedback === undefined) {
      const scored = ({ id, score }: Hit): Hit => ({ id, score: scoreOf(score) });
      return { hits: hits.map(scored), contradicted: contradicted.map(scored) };
    }
    const { before = [] } = feedback;
    const scores = new Map(feedback.hits.map(({ id, score }, at) => [id, scoreOf(before[at] as number, score)]));
    const scored = (ids: Iterable<string>): Hit[] =>
      [...ids].map((id) => ({ id, score: scores.get(id) ?? 0 })).sort((a, b) => b.score - a.score);
    // Includes the hits of words, because the moved query may be near facts that the vector search has not found.
    return {
      hits: scored(new Set([...idsOf(hits), ...words])).filter(({ score }) => score > 0),
      contradicted: scored(idsOf(contradicted)),
    };
  }

  /** Returns the ids of those hits of the words stage that have a vector of this embedder. */
  async compared(byWords: readonly Hit[]): Promise<readonly string[]> {
    return byWords.length === 0 ? [] : idsOf((await this.#similarTo(idsOf(byWords))).hits);
  }

  /** Returns the distribution of the view around the query, and the similarities of these hits of the words stage. */
  async #spreadOf(ids: readonly string[]) {
    const { hits, spread = NO_SPREAD } = await this.#similarTo(ids);
    return { spread, named: hits.filter(({ id }) => ids.includes(id)).map(({ score }) => score) };
  }

  /**
   * Returns the similarities of at least these hits of the words stage. Asks the index again only if the plan's answer
   * lacks some.
   */
  async #similarTo(ids: readonly string[]): Promise<SearchAnswer> {
    const [known, found] = await Promise.all([this.#plan.answer(this.#spread), this.#foundBy(this.#words)]);
    const all = new Set(found);
    const isKnown = ids.every((id) => all.has(id));
    return isKnown ? known : this.#plan.askMore({ find: 'spread', ...this.#vector, of: { ids } });
  }

  /**
   * Returns the similarities, to the query moved by feedback, of all hits of the words stage and the vector stage.
   * Returns undefined without feedback.
   */
  async #feedbackOf(words: readonly string[], similar: readonly string[]): Promise<SearchAnswer | undefined> {
    const from = words.slice(0, FEEDBACK_FROM);
    if (from.length < FEEDBACK_FROM) return undefined;
    const known = await this.#plan.answer(this.#feedback);
    const [byWords, near] = await Promise.all([this.#foundBy(this.#words), this.#foundBy(this.#near)]);
    const ids = [...new Set([...words, ...similar])];
    const found = new Set([...byWords, ...near]);
    const isFromThese = from.every((id, place) => byWords[place] === id);
    const isKnown = isFromThese && (known.spread === undefined || ids.every((id) => found.has(id)));
    const feedback = isKnown
      ? known
      : await this.#plan.askMore({ find: 'feedback', ...this.#vector, from: { ids: from }, of: { ids } });
    return feedback.spread === undefined ? undefined : feedback;
  }

  async #foundBy(place: number | undefined): Promise<readonly string[]> {
    return place === undefined ? [] : idsOf((await this.#plan.answer(place)).hits);
  }
}

const NO_SPREAD = { count: 0, mean: 0, deviation: 0 };
