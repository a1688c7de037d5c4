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
      await new Promise<void>((resolve) => setImmediate(resolve));
      done = 0;
      weight = 0;
    }
    work(item, at);
    done += 1;
    weight += next;
  }
};
