import { othersGoFirst } from '../../ports/others-first.ts';

/** The number of items in a step beyond which it takes over a millisecond of the event loop. */
const LARGE_STEP = 48;

/** Called after a step: lets other work run first if the step had many items. */
export const turnAfter = async ({ length }: readonly unknown[]): Promise<void> => {
  if (length > LARGE_STEP) await othersGoFirst();
};

/** The maximum number of items, and their maximum total weight, per turn of the event loop. */
const AT_ONCE = 50;
const WEIGHT_AT_ONCE = 1024 * 1024;

/** Counts the items of a step, so that a loop can let other work of this thread run first. */
export class TurnBudget {
  #items = 0;
  #weight = 0;

  /** Counts an item. Returns a promise to wait for first, if the present turn has no room for it. */
  take(weight = 0): Promise<void> | undefined {
    const isFull = this.#items >= AT_ONCE || (this.#items > 0 && this.#weight + weight > WEIGHT_AT_ONCE);
    if (isFull) this.#items = this.#weight = 0;
    this.#items += 1;
    this.#weight += weight;
    return isFull ? othersGoFirst() : undefined;
  }
}

/**
 * Processes the items in order, and lets other work run in between. The weight of an item is its number of characters;
 * small items need none.
 */
export const inTurns = async <T>(
  items: readonly T[],
  work: (item: T, at: number) => void,
  weightOf: (item: T) => number = () => 0,
): Promise<void> => {
  const budget = new TurnBudget();
  for (const [at, item] of items.entries()) {
    const pause = budget.take(weightOf(item));
    if (pause !== undefined) await pause;
    work(item, at);
  }
};
