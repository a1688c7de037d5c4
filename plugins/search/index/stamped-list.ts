import type { Hlc } from '../../../kernel/thread-api.ts';
import { WordList } from '../words/word-list.ts';

/**
 * Numbers in the order in which something befell them, each with the stamp of the feed at which it did: 16 bytes each.
 * Stamps never fall: one that is below the last one counts as the last one.
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

  /** How many have a stamp up to this one; they are the first ones. */
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

/** The first of so many places for which `isBehind` holds, or their number; it holds for all places behind that one. */
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
