import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricJson } from './metric-json.ts';

/** Series that have no sensible value before the first pause is observed. */
const OF_PAUSES = /^nodejs_eventloop_lag_(min|mean|stddev)_seconds$/;

/** The only registry of the process, even if several nodes run in it, because its observers cannot be removed. */
let registry: Registry | undefined;

/**
 * Memory, processor time, pauses of the event loop, garbage collection and open files of this process. The first
 * reading begins to observe pauses: that wakes the process a hundred times a second, even if nobody reads metrics.
 */
export const readProcessMetrics = async (): Promise<MetricJson[]> => {
  const isFirst = registry === undefined;
  registry ??= observedProcess();
  const metrics = (await registry.getMetricsAsJSON()) as unknown as MetricJson[];
  return isFirst ? metrics.filter(({ name }) => !OF_PAUSES.test(name)) : metrics;
};

const observedProcess = (): Registry => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
};
