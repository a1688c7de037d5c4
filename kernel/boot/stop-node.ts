import type { Assembly } from './assembly.ts';

/** A stop takes no longer than this, unless the store itself hangs; callers are promised ten seconds. */
export const STOP_LIMIT_MS = 9_000;
/** The part of the time that running requests cannot use up. */
export const CLOSING_RESERVE_MS = 1_000;
/** A plugin gets this long to stop even when the time is used up. */
const LEAST_STOP_MS = 200;

/** Keeps serving for a while, so that clients learn from `/readyz` that this process is about to stop. */
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

/** Returns the rest of the time for stopping. */
export const leftToStopMs = ({ stopByMs, options }: Assembly): number =>
  Math.max(LEAST_STOP_MS, (stopByMs ?? 0) - options.adapters.clock.monotonicMs());
