import type { Assembly } from './assembly.ts';

/** A stop takes no longer than this, unless the store itself does not let go; callers are promised ten seconds. */
export const STOP_LIMIT_MS = 9_000;
/** The part of it that running requests cannot use up. */
export const CLOSING_RESERVE_MS = 1_000;
/** What a plugin gets to stop even when nothing is left. */
const LEAST_STOP_MS = 200;

/** Gives senders of requests time to learn that this process wants no more, while all that come are still served. */
export const drain = async (node: Assembly): Promise<void> => {
  const { node: settings, adapters } = node.options;
  node.isStopping = true;
  node.stopByMs = adapters.clock.monotonicMs() + STOP_LIMIT_MS;
  const { drainDelayMs } = settings;
  if (!node.isServing || drainDelayMs === 0) return;
  await new Promise<void>((resolve) => {
    adapters.clock.schedule(drainDelayMs, resolve);
  });
};

/** Ends everything in reverse order. */
export const unwind = (node: Assembly): Promise<void> => {
  node.stopByMs ??= node.options.adapters.clock.monotonicMs() + STOP_LIMIT_MS;
  return node.stops.unwind();
};

/** What is left of the time for stopping. */
export const leftToStopMs = ({ stopByMs, options }: Assembly): number =>
  Math.max(LEAST_STOP_MS, (stopByMs ?? 0) - options.adapters.clock.monotonicMs());
