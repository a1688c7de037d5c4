import { coalesce, type Embedder, type FactName } from '../../../kernel/plugin-api.ts';
import { type CodeSpace, createCodeSpace } from '../codes/code-space.ts';
import type { CodeTable } from '../codes/code-table.ts';
import type { MemoryIndex } from '../index/memory-index.ts';
import type { Generation } from './generation.ts';
import type { VectorPlan } from './generation-store.ts';
import { VectorFeed } from './vector-feed.ts';
import type { VectorLayer } from './vector-layer.ts';
import type { VectorSide } from './vector-side.ts';

/** The vectors of one generation in an index, and what brings more of them in. */
export interface ServedGeneration {
  readonly name: string;
  /** Id of the embedder. */
  readonly embedder: string;
  readonly codes: CodeSpace;
  readonly layer: VectorLayer<CodeTable>;
  readonly feed: VectorFeed;
}

export interface ServedVectorsParts extends Pick<VectorSide, 'store' | 'embedderOf'> {
  readonly index: MemoryIndex;
  /** Brings the facts in. */
  indexFacts(): Promise<void>;
  plan(): Promise<VectorPlan>;
  /**
   * Fills the layer of a generation from what this process has kept of it. Returns up to which place that is; undefined
   * for nothing that can be used.
   */
  restore?(generation: string, layer: VectorLayer<CodeTable>): Promise<number | undefined>;
}

/**
 * The vectors that an index is searched by. Usually they are of one generation. While that one is being made, the one
 * before serves the facts that have no new vector yet: each fact is in one layer alone, so that memory does not grow
 * with the number of generations. The earlier layer goes in one step when the new generation is complete in the store
 * and read.
 */
export class ServedVectors {
  readonly #parts: ServedVectorsParts;
  /** The target first. */
  #served: readonly ServedGeneration[] = [];
  /** Generations whose layers lack vectors that a newer generation has. */
  readonly #thinned = new Set<string>();
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

  /** How many vectors are held. */
  get size(): number {
    return this.#served.reduce((sum, { layer }) => sum + sizeOf(layer), 0);
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
    if (isComplete && this.#served.length > 1) this.#serve(this.#served.slice(0, 1));
    this.#isMaking = !isComplete;
  });

  /** Puts the layers of a plan in place of those that are served. */
  async #arrange({ target, others }: VectorPlan): Promise<void> {
    const isFirst = this.#served.length === 0;
    this.#isMaking = target.state !== 'complete';
    const main = await this.#layerOf(target);
    if (main === undefined) throw new Error('the embedder of this process is not known');
    if (target.state === 'complete') {
      // What serves goes on until all of it is here.
      if (!isFirst) await main.feed.catchUp();
      this.#serve([main]);
      return;
    }
    const earlier = others.find(({ embedder }) => this.#parts.embedderOf(embedder) !== undefined);
    const before = earlier === undefined ? undefined : await this.#layerOf(earlier);
    this.#serve(before === undefined ? [main] : [main, before]);
  }

  #serve(served: readonly ServedGeneration[]): void {
    this.#served = served;
    for (const name of this.#thinned) {
      if (!served.some((one) => one.name === name)) this.#thinned.delete(name);
    }
    this.#parts.index.serveVectors(...served);
  }

  /** The layer that is served already, if it has everything; else an empty one. */
  async #layerOf({ name, embedder }: Generation): Promise<ServedGeneration | undefined> {
    const known = this.#served.find((one) => one.name === name);
    if (known !== undefined && !this.#thinned.has(name)) return known;
    const { index, indexFacts, store, embedderOf, restore } = this.#parts;
    const maker = embedderOf(embedder);
    if (maker === undefined) return undefined;
    const { layer, codes, seq } = await restoredLayer(index, maker, name, restore);
    const made: ServedGeneration = {
      name,
      embedder,
      codes,
      layer,
      feed: new VectorFeed(
        {
          after: (from, limit) => store.after(name, from, limit),
          sink: { set: (fact, code, scale) => this.#set(made, fact, code, scale) },
          index: indexFacts,
        },
        seq,
      ),
    };
    return made;
  }

  /** A fact is in the newest of its layers alone. */
  #set(one: ServedGeneration, fact: FactName, code: Int8Array, scale: number): boolean {
    const at = this.#served.indexOf(one);
    if (at > 0 && this.#served.slice(0, at).some(({ layer }) => layer.has(fact))) {
      this.#thinned.add(one.name);
      return true;
    }
    if (!one.layer.set(fact, code, scale)) return false;
    if (at < 0) return true;
    for (const { name, layer } of this.#served.slice(at + 1)) if (layer.delete(fact)) this.#thinned.add(name);
    return true;
  }
}

const restoredLayer = async (
  index: MemoryIndex,
  { dimensions }: Embedder,
  name: string,
  restore: ServedVectorsParts['restore'],
) => {
  const empty = () => {
    const codes = createCodeSpace({ dimensions });
    return { codes, layer: index.createVectors<CodeTable>(codes), seq: 0 };
  };
  const made = empty();
  if (restore === undefined) return made;
  const seq = await restore(name, made.layer);
  // A layer that was filled in part is thrown away.
  return seq === undefined ? empty() : { ...made, seq };
};

const sizeOf = ({ tables }: VectorLayer<CodeTable>): number =>
  tables.reduce((sum, table) => sum + (table?.size ?? 0), 0);
