/** Lets other work that waits for this thread run first, above all requests. */
export const othersGoFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A step with more items takes over a millisecond of the event loop. */
const LARGE_STEP = 48;

/** After a step with so many items: if they are many, other work runs before the next step. */
export const turnAfter = async ({ length }: readonly unknown[]): Promise<void> => {
  if (length > LARGE_STEP) await othersGoFirst();
};

/** Limits of items, and of their total weight, per turn of the event loop. */
const AT_ONCE = 50;
const WEIGHT_AT_ONCE = 1024 * 1024;

/**
 * Processes the items in order, and lets other work of the process run in between. The weight of an item is its number
 * of characters; small items need none.
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
