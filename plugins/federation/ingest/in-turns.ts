/** Items that are looked at before others get a turn of the event loop. */
const AT_ONCE = 50;

/** Does something for each item, in order, and lets other work of the process run in between. */
export const inTurns = async <T>(items: readonly T[], work: (item: T, at: number) => void): Promise<void> => {
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % AT_ONCE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    work(item, at);
  }
};
