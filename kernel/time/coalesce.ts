/**
 * Runs `work` one call at a time. Callers that come during a run share the next one. So each gets the outcome of a run
 * that began after its call, a rejection included.
 */
export const coalesce = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const run = work();
    // While a run is queued, no other run may begin before it.
    const ended = (): void => {
      if (next === undefined) running = undefined;
    };
    running = run.then(ended, ended);
    return run;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start);
    return next;
  };
};
