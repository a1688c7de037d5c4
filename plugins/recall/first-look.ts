import type { Feedback, Hit, Looked, SearchIndex, SearchView } from '../search/search-api.ts';
import { calibration } from './calibrate-similarity.ts';
import type { Admitted, Search } from './candidate-pool.ts';
import type { QueryVector } from './embed-query.ts';

/** The search by the vectors of one embedder. */
export interface DenseStage {
  readonly search: Search;
  /**
   * Scores from 0 to 1 that mean the same for every embedder. Takes those hits of the search that were admitted, so
   * that what may not be shown never outshines what may, and what words found, best first.
   */
  calibrate(admitted: Admitted, byWords: readonly Hit[]): Promise<Admitted>;
}

/** Of what words found, as many tell whether vectors say the same. */
const MOST_BY_WORDS = 10;
/** And as many tell what a query is about. Measured on abstracts, more of them tell less. */
const FEEDBACK_FROM = 3;

/**
 * The searches by words and by vectors. An index may be in a thread of its own, where each call costs two turns of
 * both: what vectors are asked for at first is one call, and only a search that goes on asks by itself. Words come
 * first, so that the store can judge what they found while vectors are compared.
 */
export class FirstLook {
  readonly dense: readonly DenseStage[];
  readonly #index: SearchIndex;
  readonly #query: string | undefined;
  readonly #vectors: readonly QueryVector[];
  readonly #view: SearchView;
  readonly #limit: number;
  #found: Promise<readonly Hit[]> | undefined;
  #looked: Promise<readonly Looked[]> | undefined;

  /** `query` is undefined where words are not asked; `limit` is how many hits each search asks for at first. */
  constructor(
    index: SearchIndex,
    asked: { readonly query: string | undefined; readonly vectors: readonly QueryVector[] },
    view: SearchView,
    limit: number,
  ) {
    this.#index = index;
    this.#query = asked.query;
    this.#vectors = asked.vectors;
    this.#view = view;
    this.#limit = limit;
    this.dense = asked.vectors.map((vector, at) => ({
      search: (...given) => this.#dense(vector, at, ...given),
      calibrate: (...given) => this.#calibrate(vector, at, ...given),
    }));
  }

  readonly words: Search = async (limit, contested) => {
    if (this.#query === undefined) return [];
    if (this.#isFirst(limit, contested)) return this.#byWords();
    return this.#index.lexical(this.#query, { ...this.#view, contested }, limit);
  };

  async #dense({ vector, embedder }: QueryVector, at: number, ...[limit, contested]: Parameters<Search>) {
    if (this.#isFirst(limit, contested)) return (await this.#look())[at]?.hits ?? [];
    return this.#index.dense(vector, embedder.similarityFloor, { ...this.#view, contested }, limit, embedder.id);
  }

  async #calibrate(
    asked: QueryVector,
    at: number,
    { hits, contradicted }: Admitted,
    byWords: readonly Hit[],
  ): Promise<Admitted> {
    if (hits.length === 0 && contradicted.length === 0) return { hits, contradicted };
    const words = byWords.map(({ id }) => id);
    const [spread, feedback] = await Promise.all([
      this.#spread(asked, at, words.slice(0, MOST_BY_WORDS)),
      this.#feedback(asked, at, words, [...hits, ...contradicted]),
    ]);
    const scoreOf = calibration(
      { hits: hits.map(({ score }) => score), spread, moved: feedback?.spread },
      asked.embedder,
    );
    if (feedback === null) {
      const scored = ({ id, score }: Hit): Hit => ({ id, score: scoreOf(score) });
      return { hits: hits.map(scored), contradicted: contradicted.map(scored) };
    }
    const scores = new Map(feedback.similarities.map(({ id, before, after }) => [id, scoreOf(before, after)]));
    const scored = (ids: Iterable<string>): Hit[] =>
      [...ids].map((id) => ({ id, score: scores.get(id) ?? 0 })).sort((a, b) => b.score - a.score);
    // What words found can be near the moved query as well.
    const either = new Set([...hits.map(({ id }) => id), ...words]);
    return {
      hits: scored(either).filter(({ score }) => score > 0),
      contradicted: scored(contradicted.map(({ id }) => id)),
    };
  }

  /** From what words found best, for all that words and vectors found. */
  async #feedback(
    { vector, embedder }: QueryVector,
    at: number,
    words: readonly string[],
    hits: readonly Hit[],
  ): Promise<Feedback | null> {
    const from = words.slice(0, FEEDBACK_FROM);
    if (from.length < FEEDBACK_FROM) return null;
    const lexical = await this.#byWords();
    const known = (await this.#look())[at];
    const ids = [...new Set([...words, ...hits.map(({ id }) => id)])];
    if (known !== undefined && from.every((id, place) => lexical[place]?.id === id)) {
      const found = new Set([...lexical, ...known.hits].map(({ id }) => id));
      if (known.feedback === null || ids.every((id) => found.has(id))) return known.feedback;
    }
    return this.#index.feedback(vector, from, ids, this.#view, embedder.id);
  }

  async #spread({ vector, embedder }: QueryVector, at: number, ids: readonly string[]) {
    const lexical = await this.#byWords();
    const known = (await this.#look())[at];
    const found = new Set(lexical.map(({ id }) => id));
    if (known === undefined || !ids.every((id) => found.has(id))) {
      return this.#index.spread(vector, ids, this.#view, embedder.id);
    }
    const named = known.similarities.filter(({ id }) => ids.includes(id)).map(({ score }) => score);
    return { ...known.spread, named };
  }

  #isFirst(limit: number, contested: readonly unknown[]): boolean {
    return limit === this.#limit && contested.length === 0;
  }

  #byWords(): Promise<readonly Hit[]> {
    const query = this.#query;
    this.#found ??= query === undefined ? NOTHING : this.#index.lexical(query, this.#view, this.#limit);
    return this.#found;
  }

  #look(): Promise<readonly Looked[]> {
    this.#looked ??= this.#byWords().then((found) =>
      this.#index.look(
        {
          words: found.map(({ id }) => id),
          vectors: this.#vectors.map(({ vector, embedder }) => ({
            vector,
            floor: embedder.similarityFloor,
            embedder: embedder.id,
          })),
          feedbackFrom: FEEDBACK_FROM,
        },
        this.#view,
        this.#limit,
      ),
    );
    return this.#looked;
  }
}

const NOTHING: Promise<readonly Hit[]> = Promise.resolve([]);
