import type { Clock } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';

const INTERVAL_MS = 3_000;

/** Logs what it is told every few seconds: long work tells of each of its many steps. */
export const createProgressLog = (log: Logger, clock: Clock): ((line: string) => void) => {
  let nextMs = clock.monotonicMs() + INTERVAL_MS;
  return (line) => {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + INTERVAL_MS;
    log.info(line);
  };
};
