import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricJson } from './metric-json.ts';

/** There is one process, however many nodes run in it, and its observers cannot be taken off again. */
let registry: Registry | undefined;

/** Memory, processor time, pauses of the event loop, garbage collection and open files of this process. */
export const readProcessMetrics = async (): Promise<MetricJson[]> => {
  observeProcess();
  return (await (registry as Registry).getMetricsAsJSON()) as unknown as MetricJson[];
};

/** Begins to measure; again it does nothing. */
export const observeProcess = (): void => {
  if (registry !== undefined) return;
  registry = new Registry();
  collectDefaultMetrics({ register: registry });
};
