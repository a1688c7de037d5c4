import type { Assembly } from './assembly.ts';

/**
 * The time limit of a stop in milliseconds. Callers are promised ten seconds, and only a blocked store may exceed this.
 */
export const STOP_LIMIT_MS = 9_000;
/** The part of the limit that is reserved for closing, and that running requests cannot use up. */
export const CLOSING_RESERVE_MS = 1_000;
/** The minimum time in milliseconds for a plugin to stop, even after the limit. */
const LEAST_STOP_MS = 200;

/** Serves for a while longer, so that clients see from `/readyz` that this process is about to stop. */
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

/** Closes everything in reverse order. */
export const unwind = (node: Assembly): Promise<void> => {
  node.stopByMs ??= node.options.adapters.clock.monotonicMs() + STOP_LIMIT_MS;
  return node.stops.unwind();
};

/** Returns the remaining milliseconds for stopping. */
export const leftToStopMs = ({ stopByMs, options }: Assembly): number =>
  Math.max(LEAST_STOP_MS, (stopByMs ?? 0) - options.adapters.clock.monotonicMs());
