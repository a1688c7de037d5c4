import type { Hit, SearchIndex, Together } from '../search/search-api.ts';
import type { RecallContext } from './recall-api.ts';

/** How much of a session is about the question, by the facts in it that stand beside others: `SearchIndex.together`. */
export type Shares = ReadonlyMap<string, number>;

/**
 * What the words around a fact count beside those in it. Measured on conversations: from 0.5 to 1 makes no difference
 * that can be told from chance, 0 costs two points of the evidence.
 */
const AROUND = 0.75;

/**
 * The lexical stage of facts that stand in sessions: what a fact says is read with what was said around it. A fact
 * without others beside it keeps its place among those that have none either.
 */
export const withSharedWords = (lexical: readonly Hit[], shares: Shares): readonly Hit[] => {
  if (shares.size === 0) return lexical;
  const best = lexical.reduce((most, { score }) => Math.max(most, score), 0);
  const scores = new Map(lexical.map(({ id, score }) => [id, score / best]));
  for (const [id, share] of shares) scores.set(id, (scores.get(id) ?? 0) + AROUND * share);
  return [...scores].map(([id, score]) => ({ id, score }));
};

/** Asks for shares, for what stands beside the seeds along with what that is, and for no fact twice. */
export class KnownShares {
  readonly #index: Pick<SearchIndex, 'around' | 'besides' | 'together'>;
  readonly #query: string;
  readonly #view: RecallContext['view'];
  readonly #shares = new Map<string, number>();
  readonly #asked = new Set<string>();

  constructor({ query, view }: Pick<RecallContext, 'query' | 'view'>, index: SearchIndex) {
    this.#index = index;
    this.#query = query;
    this.#view = { ...view, entityKey: undefined };
  }

  /** What stands beside the seeds. */
  async around(seeds: readonly Hit[], limit: number): Promise<readonly Hit[]> {
    if (this.#query === '') return this.#index.besides(seeds, this.#view, limit);
    const { hits, together } = await this.#index.around(this.#query, seeds, this.#view, limit);
    this.#take([...seeds, ...hits], together);
    return hits;
  }

  async of(ids: readonly string[]): Promise<Shares> {
    const missing = this.#query === '' ? [] : ids.filter((id) => !this.#asked.has(id));
    if (missing.length > 0) {
      const together = await this.#index.together(this.#query, missing, this.#view);
      this.#take(
        missing.map((id) => ({ id })),
        together,
      );
    }
    return new Map(
      ids.flatMap((id) => {
        const share = this.#shares.get(id);
        return share === undefined ? [] : [[id, share]];
      }),
    );
  }

  #take(asked: readonly { readonly id: string }[], together: readonly Together[]): void {
    for (const { id } of asked) this.#asked.add(id);
    for (const { id, share } of together) this.#shares.set(id, share);
  }
}
