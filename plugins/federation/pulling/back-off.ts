import type { Random } from '../../../kernel/plugin-api.ts';

const SECOND_MS = 1_000;
export const LONGEST_PAUSE_MS = 300 * SECOND_MS;
const JITTER = 0.2;

/**
 * Returns the pause after a number of consecutive failures: 1 s, doubled each time, at most 300 s, with 20 % jitter.
 */
export const backOffMs = (failures: number, retryAfterMs: number | null, random: Pick<Random, 'fraction'>): number => {
  const doubled = SECOND_MS * 2 ** Math.min(failures - 1, 16);
  const wanted = Math.min(LONGEST_PAUSE_MS, Math.max(doubled, retryAfterMs ?? 0));
  const spread = wanted * (1 + JITTER * (2 * random.fraction() - 1));
  return Math.round(Math.min(LONGEST_PAUSE_MS, Math.max(SECOND_MS, spread)));
};
