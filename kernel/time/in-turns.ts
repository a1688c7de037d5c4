/** Lets other queued work of this thread run first, above all requests. */
export const othersGoFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The number of items in a step beyond which it takes over a millisecond of the event loop. */
const LARGE_STEP = 48;

/** Called after a step: lets other work run first if the step had many items. */
export const turnAfter = async ({ length }: readonly unknown[]): Promise<void> => {
  if (length > LARGE_STEP) await othersGoFirst();
};

/** The maximum number of items, and their maximum total weight, per turn of the event loop. */
const AT_ONCE = 50;
const WEIGHT_AT_ONCE = 1024 * 1024;

/**
 * Processes the items in order, and lets other work run in between. The weight of an item is its number of characters;
 * small items need none.
 */
export const inTurns = async <T>(
  items: readonly T[],
  work: (item: T, at: number) => void,
  weightOf: (item: T) => number = () => 0,
): Promise<void> => {
  let done = 0;
  let weight = 0;
  for (const [at, item] of items.entries()) {
    const next = weightOf(item);
    if (done > 0 && (done >= AT_ONCE || weight + next > WEIGHT_AT_ONCE)) {
      await othersGoFirst();
      done = 0;
      weight = 0;
    }
    work(item, at);
    done += 1;
    weight += next;
  }
};
