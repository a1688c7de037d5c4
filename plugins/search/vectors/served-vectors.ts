import { coalesce } from '../../../kernel/plugin-api.ts';
import type { IndexHost } from '../host/index-host.ts';
import type { Generation } from './generation.ts';
import type { VectorPlan } from './generation-store.ts';
import { VectorFeed } from './vector-feed.ts';
import type { VectorSide } from './vector-side.ts';
import type { StoredVector } from './vector-store.ts';

/** The vectors of one generation in an index, and what brings more of them in. */
export interface ServedGeneration {
  readonly name: string;
  /** Id of the embedder. */
  readonly embedder: string;
  /** Number of the layer in the index. */
  readonly layer: number;
  readonly feed: VectorFeed;
}

export interface ServedVectorsParts extends Pick<VectorSide, 'store' | 'embedderOf'> {
  readonly index: Pick<IndexHost, 'openLayer' | 'setVectors' | 'serve'>;
  /** Brings the facts in. */
  indexFacts(): Promise<void>;
  plan(): Promise<VectorPlan>;
  /** Called when the snapshot's vectors cannot be used. */
  failed(error: unknown): void;
}

/**
 * The vectors that an index is searched by. Usually they are of one generation. While a new one is made, the one before
 * serves the facts without a new vector. Each fact is in one layer alone, so that memory does not grow with the number
 * of generations. The earlier layer goes in one step when the new generation is complete in the store and read.
 */
export class ServedVectors {
  readonly #parts: ServedVectorsParts;
  /** The target first. */
  #served: readonly ServedGeneration[] = [];
  #isMaking = false;

  constructor(parts: ServedVectorsParts) {
    this.#parts = parts;
  }

  get served(): readonly ServedGeneration[] {
    return this.#served;
  }

  /** Whether the generation that all facts are to have was still being made when it was last read. */
  get isMaking(): boolean {
    return this.#isMaking;
  }

  /** Begins to serve, before the vectors are read. */
  async open(): Promise<void> {
    await this.#arrange(await this.#parts.plan());
  }

  /** Does what the store asks for. Resolves when the vectors that were stored before the call are in. */
  readonly follow = coalesce(async () => {
    const plan = await this.#parts.plan();
    const { target } = plan;
    if (this.#served[0]?.name !== target.name) await this.#arrange(plan);
    for (const { feed } of this.#served) await feed.catchUp();
    // As the plan said before the vectors were read.
    const isComplete = target.state === 'complete';
    if (isComplete && this.#served.length > 1) await this.#serve(this.#served.slice(0, 1));
    this.#isMaking = !isComplete;
  });

  /** Puts the layers of a plan in place of those that are served. */
  async #arrange({ target, others }: VectorPlan): Promise<void> {
    const isFirst = this.#served.length === 0;
    this.#isMaking = target.state !== 'complete';
    const main = await this.#layerOf(target);
    if (main === undefined) throw new Error('the embedder of this process is not known');
    if (target.state === 'complete') {
      // The layers before serve until it is complete.
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

  /** The layer that is served already, if it has everything; else another one. */
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
