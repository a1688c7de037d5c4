/**
 * Returns a function that caches the result of `load` for `maxAgeMs`. Concurrent callers share one load, so that a
 * flood of requests costs no more than one. A failed load is not cached.
 */
export const cacheResult = <T>(
  load: () => Promise<T>,
  maxAgeMs: number,
  monotonicMs: () => number,
): (() => Promise<T>) => {
  let kept: { readonly answer: Promise<T>; readonly loadedMs: number; done: boolean } | undefined;
  return () => {
    if (kept !== undefined && (!kept.done || monotonicMs() - kept.loadedMs < maxAgeMs)) return kept.answer;
    const current = { answer: load(), loadedMs: monotonicMs(), done: false };
    kept = current;
    current.answer.then(
      () => {
        current.done = true;
      },
      () => {
        if (kept === current) kept = undefined;
      },
    );
    return current.answer;
  };
};
