import type { Hit, NamedFacts, QueriedVector, SearchAnswer, SearchStep, SearchView } from '../search-api.ts';
import { searchWords } from '../words/search-words.ts';
import type { DenseSearch, NearVector } from './dense-search.ts';
import type { IndexState } from './index-state.ts';
import { newestDocuments } from './newest-documents.ts';
import { NEIGHBOUR_WEIGHTS, sessionNeighbours } from './session-neighbours.ts';
import { SessionSides } from './session-sides.ts';
import { TopDocuments } from './top-documents.ts';
import { ViewFilter } from './view-filter.ts';
import { wordsTogether } from './words-together.ts';

/** Runs the steps of a plan on a state that does not change meanwhile. */
export const takeSteps = (
  plan: readonly SearchStep[],
  view: SearchView,
  state: IndexState,
  vectors: DenseSearch,
): SearchAnswer[] => {
  const taker = new StepTaker(view, state, vectors);
  for (const step of plan) taker.take(step);
  return taker.answers;
};

class StepTaker {
  readonly answers: SearchAnswer[] = [];
  readonly #view: SearchView;
  readonly #state: IndexState;
  readonly #vectors: DenseSearch;
  readonly #filter: ViewFilter;
  /** Shared by all steps, so that each session is looked up once. */
  readonly #sides: SessionSides;

  constructor(view: SearchView, state: IndexState, vectors: DenseSearch) {
    this.#view = view;
    this.#state = state;
    this.#vectors = vectors;
    this.#filter = new ViewFilter(state, view);
    this.#sides = new SessionSides(state, this.#filter, NEIGHBOUR_WEIGHTS.length);
  }

  take(step: SearchStep): void {
    this.answers.push(this.#answerTo(step));
  }

  #answerTo(step: SearchStep): SearchAnswer {
    switch (step.find) {
      case 'words':
        return this.#words(step.query, step.limit);
      case 'near':
        return this.#hits(this.#near(step).hits(step.floor, step.limit));
      case 'beside':
        return this.#hits(this.#beside(step.seeds, step.limit));
      case 'newest':
        return this.#hits(newestDocuments(this.#state, this.#filterFor(step.entityKey), step.limit));
      case 'spread': {
        const near = this.#near(step);
        return { ...this.#hits(near.similaritiesOf(this.#documentsOf(step.of))), spread: near.spread() };
      }
      case 'feedback':
        return this.#feedback(this.#near(step), step.from, step.of);
      case 'share':
        return { hits: wordsTogether(this.#state, step.query, this.#namesOf(step.of), this.#filter, this.#sides) };
    }
  }

  #words(query: string, limit: number): SearchAnswer {
    const { found, bound } = searchWords(this.#state, query, this.#filter, limit);
    return { ...this.#hits(found), bound };
  }

  #filterFor(entityKey: string | undefined): ViewFilter {
    return entityKey === undefined ? this.#filter : new ViewFilter(this.#state, { ...this.#view, entityKey });
  }

  #near({ vector, embedder }: QueriedVector): NearVector {
    return this.#vectors.near(vector, this.#filter, embedder);
  }

  #beside(seeds: readonly Hit[], limit: number) {
    if (limit < 1) return [];
    const { documents } = this.#state;
    const scores = sessionNeighbours(this.#sides, this.#view.tenantId, seeds);
    const top = new TopDocuments(limit, scores.size, (document, than) => documents.isOlder(document, than));
    for (const [document, score] of scores) top.offer(document, score);
    return top.take();
  }

  #feedback(near: NearVector, from: NamedFacts, of: NamedFacts): SearchAnswer {
    const texts = this.#documentsOf(from);
    const isComplete = texts.length === this.#namesOf(from).ids.length;
    const moved = isComplete ? near.feedback(texts, this.#documentsOf(of)) : undefined;
    if (moved === undefined) return { hits: [] };
    const hits = moved.similar.map(({ document, after: score }) => ({ document, score }));
    return { ...this.#hits(hits), before: moved.similar.map(({ before }) => before), spread: moved.spread };
  }

  #namesOf({ ids = [], foundBy = [], first }: NamedFacts): { readonly tenantId: string; readonly ids: string[] } {
    const found = foundBy.flatMap((at) => this.answers[at]?.hits.map(({ id }) => id) ?? []);
    return { tenantId: this.#view.tenantId, ids: [...new Set([...ids, ...found])].slice(0, first) };
  }

  #documentsOf(facts: NamedFacts): number[] {
    const { tenantId, ids } = this.#namesOf(facts);
    return ids.map((id) => this.#sides.documentOf(tenantId, id)).filter((document) => document >= 0);
  }

  #hits(found: readonly { readonly document: number; readonly score: number }[]): { readonly hits: Hit[] } {
    const { ids } = this.#state.documents;
    return { hits: found.map(({ document, score }) => ({ id: ids.idOf(document), score })) };
  }
}
