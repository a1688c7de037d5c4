import { comesTrue } from '../../kit/comes-true.ts';

/** Less than the time limit of a test, whose end names no reason. */
export const PATIENCE_MS = 30_000;

/**
 * Waits until an index under test has done something. Rejects with a reason when that takes too long, even when `holds`
 * never resolves. `seen` completes the reason with the last answer of the index.
 */
export const followsInTime = async (
  what: string,
  holds: () => Promise<boolean>,
  seen: () => string,
  patienceMs: number = PATIENCE_MS,
): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`${what} within ${patienceMs / 1_000} s: ${seen()}`));
    }, patienceMs);
  });
  try {
    await Promise.race([comesTrue(async () => isLate || (await holds())), late]);
  } finally {
    clearTimeout(timer);
  }
};
