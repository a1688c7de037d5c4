/** The maximum number of turns of the event loop that work waits while connections arrive. */
const MAX_TURNS = 16;

let arrivals = 0;

/** Called by a transport for each new connection. */
export const countArrival = (): void => {
  arrivals += 1;
};

/**
 * Lets other queued work of this thread run first: requests, and connections that wait to be accepted. The event loop
 * accepts one connection a turn, so this goes on while each turn brings one. Otherwise each of a thousand new
 * connections would wait for a piece of running work.
 */
export const othersGoFirst = async (): Promise<void> => {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const seen = arrivals;
    await new Promise((resolve) => setImmediate(resolve));
    if (arrivals === seen) return;
  }
};
