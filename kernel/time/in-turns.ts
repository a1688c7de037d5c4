/** Lets everything have its turn that waits for this thread, requests above all. */
export const othersGoFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A step with more items than these takes a millisecond of the event loop, and more. */
const LARGE_STEP = 48;

/** After a step with so many items: where they are many, others have their turn before the next step. */
export const turnAfter = async ({ length }: readonly unknown[]): Promise<void> => {
  if (length > LARGE_STEP) await othersGoFirst();
};

/** Items that are looked at before others get a turn of the event loop, and what they may weigh together. */
const AT_ONCE = 50;
const WEIGHT_AT_ONCE = 1024 * 1024;

/**
 * Does something for each item, in order, and lets other work of the process run in between. The weight of an item is
 * the number of characters that are looked at; small items need none.
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
