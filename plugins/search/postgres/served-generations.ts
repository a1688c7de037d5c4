import { compareHlc, type Hlc, type PluginSnapshot } from '../../../kernel/plugin-api.ts';
import type { Generation } from '../vectors/generation.ts';
import type { VectorPlan } from '../vectors/generation-store.ts';
import type { VectorSide } from '../vectors/vector-side.ts';
import type { ServedGenerations } from './near-vectors.ts';
import type { VectorSource } from './postgres-index.ts';

/** The generations of vectors to search: the target, and while it is incomplete the previous one. */
export class StoredGenerations implements VectorSource {
  readonly #side: VectorSide;
  #goal: Hlc | undefined;
  #names: readonly string[] = [];
  #isMaking = true;

  constructor(side: VectorSide) {
    this.#side = side;
    this.#goal = side.goal;
  }

  /** The names of the generations at the last read. */
  get generations(): readonly string[] {
    return this.#names;
  }

  /** True if earlier facts lacked vectors at the last read of the generations. */
  get lacksVectors(): boolean {
    return this.#isMaking;
  }

  /** Reads the generations again, after some process has stored vectors. */
  async vectorsAdded(): Promise<void> {
    await this.embedders();
  }

  async embedders(): Promise<readonly string[]> {
    const plan = await this.#side.generations.plan();
    this.#isMaking = plan.target.state !== 'complete' || this.#isBehind(plan.target.fresh);
    const served = this.#servedIn(plan);
    this.#names = served.map(({ name }) => name);
    return [...new Set(served.map(({ embedder }) => embedder))];
  }

  async servedBy(embedder: string | undefined, snapshot: PluginSnapshot): Promise<ServedGenerations | undefined> {
    const plan = await this.#side.generations.planIn(snapshot);
    const [target, before] = plan === undefined ? [] : this.#servedIn(plan);
    if (target === undefined) return undefined;
    const searched = [target, before].flatMap((one) =>
      one !== undefined && one.embedder === (embedder ?? target.embedder) ? [one.name] : [],
    );
    return searched.length === 0 ? undefined : { target: target.name, before: before?.name, searched };
  }

  #isBehind(fresh: Hlc): boolean {
    if (this.#goal !== undefined && compareHlc(fresh, this.#goal) >= 0) this.#goal = undefined;
    return this.#goal !== undefined;
  }

  #servedIn({ target, others }: VectorPlan): readonly Generation[] {
    if (target.state === 'complete') return [target];
    const before = others.find(({ embedder }) => this.#side.embedderOf(embedder) !== undefined);
    return before === undefined ? [target] : [target, before];
  }
}
