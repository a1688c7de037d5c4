import type { PluginSnapshot } from '../../kernel/plugin-api.ts';
import type { Hit, SearchAnswer, SearchIndex, SearchStep, SearchView } from '../search/search-api.ts';
import type { Search } from './candidate-pool.ts';

/** A search whose first answer comes with the plan. To search deeper, it sends its step again on its own. */
export interface PlannedSearch {
  /** The index of its step in the plan. */
  readonly place: number;
  readonly search: Search;
}

/**
 * Collects the steps of one message to the index, because each message costs a turn of the event loop in both threads.
 * The first caller that needs an answer sends the plan, which then accepts no more steps.
 */
export class RecallPlan {
  readonly #index: Pick<SearchIndex, 'ask'>;
  readonly #view: SearchView;
  readonly #snapshot: PluginSnapshot;
  readonly #steps: SearchStep[] = [];
  #answers: Promise<readonly SearchAnswer[]> | undefined;

  constructor(index: Pick<SearchIndex, 'ask'>, view: SearchView, snapshot: PluginSnapshot) {
    this.#index = index;
    this.#view = view;
    this.#snapshot = snapshot;
  }

  /** Adds a step and returns its index in the plan. */
  add(step: SearchStep): number {
    if (this.#answers !== undefined) throw new Error('the index has the plan already');
    return this.#steps.push(step) - 1;
  }

  addSearch(step: Extract<SearchStep, { readonly limit: number }>): PlannedSearch {
    const place = this.add(step);
    const search: Search = async (limit, contested) => {
      if (limit === step.limit && contested.length === 0) return (await this.answer(place)).hits;
      const [{ hits } = NOTHING_FOUND] = await this.#ask([{ ...step, limit }], { ...this.#view, contested });
      return hits;
    };
    return { place, search };
  }

  async answer(place: number): Promise<SearchAnswer> {
    this.#answers ??= this.#ask(this.#steps, this.#view);
    return (await this.#answers)[place] ?? NOTHING_FOUND;
  }

  /** Sends one more step on the same view. */
  async askMore(step: SearchStep): Promise<SearchAnswer> {
    return (await this.#ask([step], this.#view))[0] ?? NOTHING_FOUND;
  }

  #ask(steps: readonly SearchStep[], view: SearchView): Promise<readonly SearchAnswer[]> {
    return this.#index.ask(steps, view, this.#snapshot);
  }
}

const NOTHING_FOUND: SearchAnswer = { hits: [] };

export const idsOf = (hits: readonly Pick<Hit, 'id'>[]): string[] => hits.map(({ id }) => id);
