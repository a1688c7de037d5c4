import { effectiveConfidence, type FactReader, type FactView, isIn } from '../../kernel/plugin-api.ts';
import type { Hit, SearchView } from './recall-api.ts';

/** What of the facts that the caller sees may be a candidate. */
export interface Admission {
  readonly includeContradicted: boolean;
  /** Least confidence after trust in the source. */
  readonly minConfidence: number;
}

/** What was asked for. Plugins that lead from fact to fact need not know all of it. */
export type Wanted = Pick<SearchView, 'scopes' | 'onlyGarden' | 'relationKey'>;

/** Finds the best hits, at most `limit`, best first; fewer only when there are no more. */
export type Search<H extends Hit = Hit> = (limit: number) => Promise<readonly H[]>;

/**
 * Hits that a stage finds at first; it is asked for more when too few of them may be shown. With what stands beside them they fill a generous
 * budget: measured on conversations, 120 bring back no more of the evidence, and cost a third more.
 */
export const STAGE_DEPTH = 64;
/** The facts of an entity are not the best of many: whoever asks about it wants them all. */
export const ENTITY_DEPTH = 120;
/** Share of the depth that is worth ranking. */
const ENOUGH = 0.5;
const DEEPER = 4;
const DEEPEST = 8_192;

/**
 * The facts of one recall. The index proposes identifiers; only what the store itself shows the caller as live comes in, before it is ranked or
 * leads anywhere (specification, recall, rule 3).
 */
export class CandidatePool {
  readonly #reader: FactReader;
  readonly #admission: Admission & Wanted;
  /** Undefined for a fact that may not be shown. */
  readonly #views = new Map<string, FactView | undefined>();

  constructor(reader: FactReader, admission: Admission & Wanted) {
    this.#reader = reader;
    this.#admission = admission;
  }

  get(id: string): FactView | undefined {
    return this.#views.get(id);
  }

  /**
   * Of each search the hits that may be shown: deeper into the index as long as they are too few and it has more. What several searches
   * propose is read together. At most `depth` hits come back of each.
   */
  async admit<H extends Hit>(searches: readonly Search<H>[], depth = STAGE_DEPTH): Promise<H[][]> {
    const admitted: H[][] = searches.map(() => []);
    let open = searches.map((search, at) => ({ search, at }));
    for (let limit = depth; open.length > 0; limit *= DEEPER) {
      const answers = await Promise.all(
        open.map(async ({ search, at }) => ({ search, at, hits: await search(limit) })),
      );
      await this.#load(answers.flatMap(({ hits }) => hits));
      for (const { at, hits } of answers) admitted[at] = hits.filter(({ id }) => this.get(id) !== undefined);
      open = answers.filter(
        ({ at, hits }) => hits.length >= limit && limit < DEEPEST && (admitted[at] as H[]).length < ENOUGH * depth,
      );
    }
    return admitted.map((hits) => hits.slice(0, depth));
  }

  async #load(hits: readonly Hit[]): Promise<void> {
    const ids = [...new Set(hits.map(({ id }) => id))].filter((id) => !this.#views.has(id));
    if (ids.length === 0) return;
    for (const id of ids) this.#views.set(id, undefined);
    const facts = await this.#reader.find(isIn('id', ids), { view: 'live', order: 'feed', limit: ids.length });
    for (const view of await this.#reader.annotate(facts)) {
      if (this.#admits(view)) this.#views.set(view.fact.id, view);
    }
  }

  #admits(view: FactView): boolean {
    const { includeContradicted, minConfidence, scopes, onlyGarden, relationKey } = this.#admission;
    const { scope, gardenId, relationKey: relation } = view.fact;
    if (view.contradicted && !includeContradicted) return false;
    if (!scopes.includes(scope) || (onlyGarden !== undefined && gardenId !== onlyGarden)) return false;
    if (relationKey !== undefined && relation !== relationKey) return false;
    return effectiveConfidence(view.fact.confidence, view.sourceTrust) >= minConfidence;
  }
}
