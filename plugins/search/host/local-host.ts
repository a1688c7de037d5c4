import type { Hlc } from '../../../kernel/plugin-api.ts';
import { compareHlc } from '../../../kernel/thread-api.ts';
import type { IndexedCover } from '../index/indexed-fact.ts';
import { MemoryIndex } from '../index/memory-index.ts';
import type { HashSeed } from '../index/text-hash.ts';
import type { SearchAnswer, SearchStep, SearchView } from '../search-api.ts';
import { bytesOfFile } from '../snapshot/byte-source.ts';
import type { SnapshotExtents, SnapshotTarget } from '../snapshot/snapshot-extents.ts';
import type { StoredVector } from '../vectors/vector-store.ts';
import { HeldLayers } from './held-layers.ts';
import type { IndexHost, IndexPage, IndexSize, Judgement, LayerWanted, OpenedLayer } from './index-host.ts';
import { ReadLayer } from './read-layer.ts';
import { WrittenState } from './written-index.ts';

/** The number of facts that are indexed before other work may run: a few milliseconds of work. */
const FACTS_PER_TURN = 64;
/** The maximum number of characters of their values. */
const CHARACTERS_PER_TURN = 128 * 1024;

/** Hosts an index in this thread. */
export class LocalHost implements IndexHost {
  #index: MemoryIndex;
  #layers: HeldLayers;
  #applied: Hlc = { wallMs: 0, counter: 0 };
  #isClosed = false;
  /** True once the work that a restore postponed has begun or is done. */
  #isSettled = true;
  readonly #written = new WrittenState();
  /** Restored covers of which some facts follow later in the feed. They are applied when those facts arrive. */
  #later: readonly IndexedCover[] = [];
  readonly lost = new Promise<Error>(() => {});

  constructor(seed: HashSeed) {
    this.#index = MemoryIndex.create(seed);
    this.#layers = new HeldLayers(this.#index);
  }

  get size(): IndexSize {
    return { facts: this.#index.size, vectors: this.#layers.size };
  }

  async restore({ index: file, vectors }: SnapshotExtents): Promise<Hlc> {
    const kept = vectors === undefined ? undefined : new ReadLayer(vectors);
    try {
      const restored = await MemoryIndex.restore(await bytesOfFile(file));
      const { index, applied } = restored;
      this.#index = index;
      this.#layers = new HeldLayers(index, kept);
      this.#written.restored(file, restored);
      this.#applied = applied;
      this.#isSettled = false;
      return applied;
    } catch (error) {
      kept?.giveUp();
      throw error;
    }
  }

  /** Runs after the first answer: does the work that the restore postponed. Searches may run between its steps. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const index = this.#index;
    while (this.#index === index && !this.#isClosed && index.settle()) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  async take({ facts, hidden, covers, expiries, formerExpiries, upTo }: IndexPage): Promise<void> {
    const index = this.#index;
    const ending = [...this.#later, ...covers].sort((a, b) => compareHlc(a.since, b.since));
    const isHidden = new Set(hidden);
    let ended = 0;
    const endUpTo = (stamp: Hlc): void => {
      for (; ended < ending.length; ended += 1) {
        const cover = ending[ended] as IndexedCover;
        if (compareHlc(cover.since, stamp) > 0) return;
        index.cover(cover);
      }
    };
    let taken = 0;
    let characters = 0;
    for (const [at, fact] of facts.entries()) {
      endUpTo(fact.feed);
      index.add(fact);
      if (isHidden.has(at)) index.withhold(fact, true);
      taken += 1;
      characters += typeof fact.value.v === 'string' ? fact.value.v.length : 0;
      if (taken < FACTS_PER_TURN && characters < CHARACTERS_PER_TURN) continue;
      taken = characters = 0;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    endUpTo(upTo);
    for (const expiry of expiries) index.expire(expiry);
    for (const former of formerExpiries) index.keepFormer(former);
    this.#later = ending.slice(ended);
    this.#applied = upTo;
  }

  async judge(judgements: readonly Judgement[]): Promise<boolean> {
    for (const { fact, isDestroyed, isHidden } of judgements) {
      // Withholding a fact needs its words, but a fact that was hidden and destroyed between two reads of the feed has
      // none.
      if (isDestroyed && this.#index.shows(fact)) return false;
      if (!isDestroyed && 'value' in fact) this.#index.withhold(fact, isHidden);
    }
    return true;
  }

  openLayer(wanted: LayerWanted): Promise<OpenedLayer> {
    return this.#layers.open(wanted);
  }

  async setVectors(layer: number, vectors: readonly StoredVector[]): Promise<void> {
    this.#layers.set(layer, vectors);
  }

  async serve(layers: readonly number[]): Promise<void> {
    this.#layers.serve(layers);
  }

  write(target: SnapshotTarget): Promise<SnapshotExtents> {
    return this.#written.write(this.#index, () => this.#applied, this.#layers.main, target);
  }

  async ask(plan: readonly SearchStep[], view: SearchView): Promise<SearchAnswer[]> {
    const answers = await this.#index.ask(plan, view);
    void this.#settle();
    return answers;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }
}
