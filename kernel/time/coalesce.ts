/**
 * Runs `work` one call at a time. Callers that come while a run is under way share the next one, so that each is
 * answered by a run that began after its call, and rejects as that run does.
 */
export const coalesce = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const run = work();
    // While another run is wanted, nobody may begin one before it.
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
