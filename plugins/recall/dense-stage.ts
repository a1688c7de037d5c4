import type { Hit, QueriedVector, SearchAnswer } from '../search/search-api.ts';
import { calibration } from './calibrate-similarity.ts';
import type { Admitted, Search } from './candidate-pool.ts';
import type { QueryVector } from './embed-query.ts';
import { idsOf, type PlannedSearch, type RecallPlan } from './recall-plan.ts';

/** The number of best hits of words whose similarities rate the vector stage. */
const MOST_BY_WORDS = 10;
/** The number of best hits of words towards which the query moves. On abstracts, larger numbers gave worse results. */
const FEEDBACK_FROM = 3;

/** The search by the vectors of one embedder. */
export class DenseStage {
  readonly search: Search;
  readonly #plan: RecallPlan;
  readonly #queried: QueryVector;
  readonly #vector: QueriedVector;
  /** The place of the words step in the plan; undefined without one. */
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
   * Returns scores from 0 to 1 that are comparable between embedders. It uses only admitted hits, so that a hidden fact
   * never lowers a visible one, and the facts that words found, best first.
   */
  async calibrate({ hits, contradicted }: Admitted, byWords: readonly Hit[]): Promise<Admitted> {
    if (hits.length === 0 && contradicted.length === 0) return { hits, contradicted };
    const words = idsOf(byWords);
    const [spread, feedback] = await Promise.all([
      this.#spreadOf(words.slice(0, MOST_BY_WORDS)),
      this.#feedbackOf(words, idsOf([...hits, ...contradicted])),
    ]);
    const scoreOf = calibration(
      { hits: hits.map(({ score }) => score), ...spread, moved: feedback?.spread },
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
    // The moved query may be near facts that only words have found.
    return {
      hits: scored(new Set([...idsOf(hits), ...words])).filter(({ score }) => score > 0),
      contradicted: scored(idsOf(contradicted)),
    };
  }

  /** Returns those of the facts that words found that have a vector of this embedder. */
  async compared(byWords: readonly Hit[]): Promise<readonly string[]> {
    return byWords.length === 0 ? [] : idsOf((await this.#similarTo(idsOf(byWords))).hits);
  }

  /** Returns the distribution of the view around the query, and the similarities of the best facts that words found. */
  async #spreadOf(ids: readonly string[]) {
    const { hits, spread = NO_SPREAD } = await this.#similarTo(ids);
    return { spread, named: hits.filter(({ id }) => ids.includes(id)).map(({ score }) => score) };
  }

  /** Compares at least these facts, which words found. */
  async #similarTo(ids: readonly string[]): Promise<SearchAnswer> {
    const [known, found] = await Promise.all([this.#plan.answer(this.#spread), this.#foundBy(this.#words)]);
    const all = new Set(found);
    const isKnown = ids.every((id) => all.has(id));
    return isKnown ? known : this.#plan.askMore({ find: 'spread', ...this.#vector, of: { ids } });
  }

  /**
   * Returns the feedback from the best facts that words found, for all facts that words and vectors found. Undefined
   * without feedback.
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
