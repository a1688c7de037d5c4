import type { CodeHit } from './code-space.ts';

/** The list holds this multiple of the wanted hits before it is sorted and cut. */
const ROOM = 4;
const LEAST_ROOM = 64;

/** Orders hits of equal similarity: a negative result puts the first one first. */
export type TieOrder = (a: CodeHit, b: CodeHit) => number;

const byOrdinal: TieOrder = (a, b) => b.ordinal - a.ordinal || a.target - b.target;

/**
 * Collects the best of many hits, by similarity. Orders equal ones by the given order, or without one by higher
 * ordinal, then earlier target.
 */
export class BestHits {
  readonly #limit: number;
  readonly #ties: TieOrder;
  #hits: CodeHit[] = [];
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number, ties: TieOrder = byOrdinal) {
    this.#limit = limit;
    this.#ties = ties;
  }

  /** The minimum similarity of a further hit. A hit of equal similarity may still enter. */
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
