import type { Clock } from '../../ports/ports.ts';
import { createThrottle } from '../log/create-throttle.ts';
import type { Logger } from '../log/logger.ts';

const INTERVAL_MS = 3_000;

/** Returns a log function that drops most lines, because long work reports each of its many steps. */
export const createProgressLog = (log: Logger, clock: Clock): ((line: string) => void) => {
  const isDue = createThrottle(clock, INTERVAL_MS);
  return (line) => {
    if (isDue()) log.info(line);
  };
};
