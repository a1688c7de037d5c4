/** What the console takes from its browser: time and timers. One place, so that a test can own them. */
export const nowMs = (): number => Date.now();

/** Calls back after a time, unless the returned function was called before. */
export const later = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};
