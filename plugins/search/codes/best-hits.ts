import type { CodeHit } from './code-space.ts';

/** How often the hits that are kept fit into the list before it is sorted and cut. */
const ROOM = 4;
const LEAST_ROOM = 64;

/** The best of many hits: by similarity, then by the higher ordinal, then by the earlier target. */
export class BestHits {
  readonly #limit: number;
  #hits: CodeHit[] = [];
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A similarity below it has no chance; an equal one may. */
  get threshold(): number {
    return this.#threshold;
  }

  offer(hit: CodeHit): void {
    this.#hits.push(hit);
    if (this.#hits.length < Math.max(LEAST_ROOM, ROOM * this.#limit)) return;
    this.#hits = this.take();
    this.#threshold = this.#hits.at(-1)?.similarity ?? this.#threshold;
  }

  take(): CodeHit[] {
    return this.#hits.sort(bestFirst).slice(0, this.#limit);
  }
}

const bestFirst = (a: CodeHit, b: CodeHit): number =>
  b.similarity - a.similarity || b.ordinal - a.ordinal || a.target - b.target;
