/**
 * Returns a function that caches the result of `load` for `maxAgeMs`. Concurrent callers share one load, so that a
 * flood of requests costs no more than one. A failed load is not cached.
 */
export const cacheResult = <T>(
  load: () => Promise<T>,
  maxAgeMs: number,
  monotonicMs: () => number,
): (() => Promise<T>) => {
  let cached: { readonly answer: Promise<T>; readonly loadedMs: number; done: boolean } | undefined;
  return () => {
    if (cached !== undefined && (!cached.done || monotonicMs() - cached.loadedMs < maxAgeMs)) return cached.answer;
    const current = { answer: load(), loadedMs: monotonicMs(), done: false };
    cached = current;
    current.answer.then(
      () => {
        current.done = true;
      },
      () => {
        if (cached === current) cached = undefined;
      },
    );
    return current.answer;
  };
};
