import type { Hlc } from '../../../kernel/thread-api.ts';
import { WordList } from '../words/word-list.ts';

/**
 * A list of numbers, each with the feed stamp of its event, 16 bytes each. Stamps never decrease: one below the last
 * one is stored as the last one.
 */
export class StampedList {
  readonly numbers = new WordList();
  readonly #wallsHigh = new WordList();
  readonly #wallsLow = new WordList();
  readonly #counters = new WordList();

  get length(): number {
    return this.numbers.length;
  }

  push(number: number, stamp: Hlc): void {
    const last = this.length - 1;
    const { wallMs, counter } = last >= 0 && this.#isAfter(last, stamp) ? this.stampAt(last) : stamp;
    this.numbers.push(number);
    this.#wallsHigh.push(Math.floor(wallMs / WORD_RANGE));
    this.#wallsLow.push(wallMs % WORD_RANGE);
    this.#counters.push(counter);
  }

  stampAt(place: number): Hlc {
    return { wallMs: this.#wallAt(place), counter: this.#counters.at(place) };
  }

  /** Returns the number of entries up to this stamp. They are the first ones. */
  countUpTo(stamp: Hlc): number {
    return firstPlace(this.length, (place) => this.#isAfter(place, stamp));
  }

  #isAfter(place: number, { wallMs, counter }: Hlc): boolean {
    const own = this.#wallAt(place);
    return own > wallMs || (own === wallMs && this.#counters.at(place) > counter);
  }

  #wallAt(place: number): number {
    return this.#wallsHigh.at(place) * WORD_RANGE + this.#wallsLow.at(place);
  }
}

/**
 * Binary search: returns the first index below `count` for which `isBehind` holds, or `count`. `isBehind` must hold for
 * all later indices too.
 */
export const firstPlace = (count: number, isBehind: (place: number) => boolean): number => {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

const WORD_RANGE = 2 ** 32;
