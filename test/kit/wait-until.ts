import { setTimeout as pause } from 'node:timers/promises';

const PROBE_EVERY_MS = 25;

/** Waits until a condition holds. Rejects after a time limit, with a text that names the condition. */
export const waitUntil = async (
  what: string,
  limitMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> => {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited for ${limitMs} ms: ${what}`);
    await pause(PROBE_EVERY_MS);
  }
};
