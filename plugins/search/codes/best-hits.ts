import type { CodeHit } from './code-space.ts';

/** How often the hits that are kept fit into the list before it is sorted and cut. */
const ROOM = 4;
const LEAST_ROOM = 64;

/** Orders hits that are equally similar: below zero when the first one goes first. */
export type TieOrder = (a: CodeHit, b: CodeHit) => number;

const byOrdinal: TieOrder = (a, b) => b.ordinal - a.ordinal || a.target - b.target;

/** The best of many hits: by similarity, then in the order given, else by the higher ordinal and the earlier target. */
export class BestHits {
  readonly #limit: number;
  readonly #ties: TieOrder;
  #hits: CodeHit[] = [];
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number, ties: TieOrder = byOrdinal) {
    this.#limit = limit;
    this.#ties = ties;
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
    return this.#hits.sort((a, b) => b.similarity - a.similarity || this.#ties(a, b)).slice(0, this.#limit);
  }
}
