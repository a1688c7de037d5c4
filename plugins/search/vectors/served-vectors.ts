import { coalesce } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import type { Generation } from './generation.ts';
import type { VectorPlan } from './generation-store.ts';
import { VectorFeed } from './vector-feed.ts';
import type { VectorSide } from './vector-side.ts';
import type { StoredVector } from './vector-store.ts';

/** The vectors of one generation in an index, and the feed that adds more of them. */
export interface ServedGeneration {
  readonly name: string;
  /** The id of the embedder. */
  readonly embedder: string;
  /** The number of the layer in the index. */
  readonly layer: number;
  readonly feed: VectorFeed;
}

export interface ServedVectorsParts extends Pick<VectorSide, 'store' | 'embedderOf'> {
  readonly index: Pick<IndexHost, 'openLayer' | 'setVectors' | 'serve'>;
  /** Indexes the facts of the vectors. */
  indexFacts(): Promise<void>;
  plan(): Promise<VectorPlan>;
  /** Called if the vectors of the snapshot are unusable. */
  failed(error: unknown): void;
}

/**
 * The vectors that an index searches, usually of one generation. While a new one is made, the previous one serves the
 * facts without a new vector. Each fact is in only one layer, so that memory does not grow with the number of
 * generations. The previous layer is removed in one step, once the new generation is complete in the store and read.
 */
export class ServedVectors {
  readonly #parts: ServedVectorsParts;
  /** The generations that searches use; the one being built, or the newest, comes first. */
  #served: readonly ServedGeneration[] = [];
  #isMaking = false;

  constructor(parts: ServedVectorsParts) {
    this.#parts = parts;
  }

  get served(): readonly ServedGeneration[] {
    return this.#served;
  }

  /** True if the target generation was incomplete when it was last read. */
  get isMaking(): boolean {
    return this.#isMaking;
  }

  /** Starts serving before all vectors are read. */
  async open(): Promise<void> {
    await this.#arrange(await this.#parts.plan());
  }

  /** Applies the plan of the store. Resolves when all vectors stored before the call are in the index. */
  readonly follow = coalesce(async () => {
    const plan = await this.#parts.plan();
    const { target } = plan;
    if (this.#served[0]?.name !== target.name) await this.#arrange(plan);
    for (const { feed } of this.#served) await feed.catchUp();
    // The plan was read before the vectors: if the target was complete then, all of its vectors are in the index now.
    const isComplete = target.state === 'complete';
    if (isComplete && this.#served.length > 1) await this.#serve(this.#served.slice(0, 1));
    this.#isMaking = !isComplete;
  });

  /** Replaces the served layers by those of a plan. */
  async #arrange({ target, others }: VectorPlan): Promise<void> {
    const isFirst = this.#served.length === 0;
    this.#isMaking = target.state !== 'complete';
    const main = await this.#layerOf(target);
    if (main === undefined) throw new Error('the embedder of this process is not known');
    if (target.state === 'complete') {
      // The previous layers serve until it is complete.
      if (!isFirst) await main.feed.catchUp();
      await this.#serve([main]);
      return;
    }
    const earlier = others.find(({ embedder }) => this.#parts.embedderOf(embedder) !== undefined);
    const before = earlier === undefined ? undefined : await this.#layerOf(earlier);
    await this.#serve(before === undefined ? [main] : [main, before]);
  }

  async #serve(served: readonly ServedGeneration[]): Promise<void> {
    await this.#parts.index.serve(served.map(({ layer }) => layer));
    this.#served = served;
  }

  /** Returns the served layer if it is complete; otherwise a new one. */
  async #layerOf({ name, embedder }: Generation): Promise<ServedGeneration | undefined> {
    const { index, indexFacts, store, embedderOf, failed } = this.#parts;
    const maker = embedderOf(embedder);
    if (maker === undefined) return undefined;
    const { layer, seq, problem } = await index.openLayer({
      name,
      embedder,
      dimensions: maker.dimensions,
    });
    if (problem !== undefined) failed(problem);
    const known = this.#served.find((one) => one.layer === layer);
    if (known !== undefined) return known;
    const parts = {
      after: (from: number, limit: number) => store.after(name, from, limit),
      take: (vectors: readonly StoredVector[]) => index.setVectors(layer, vectors),
      index: indexFacts,
    };
    return { name, embedder, layer, feed: new VectorFeed(parts, seq) };
  }
}
