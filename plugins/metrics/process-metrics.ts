import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricJson } from './metric-json.ts';

/** The only registry of the process, even if several nodes run in it, because its observers cannot be removed. */
let registry: Registry | undefined;

/** Memory, processor time, pauses of the event loop, garbage collection and open files of this process. */
export const readProcessMetrics = async (): Promise<MetricJson[]> => {
  observeProcess();
  return (await (registry as Registry).getMetricsAsJSON()) as unknown as MetricJson[];
};

/** Starts measuring. Idempotent. */
export const observeProcess = (): void => {
  if (registry !== undefined) return;
  registry = new Registry();
  collectDefaultMetrics({ register: registry });
};
