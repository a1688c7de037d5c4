import type { Telemetry } from '../../kernel/plugin-api.ts';
import type { RunStore } from './run-store.ts';
import type { UpkeepTask } from './upkeep-api.ts';

/** Counts the runs that have ended. */
export type CountRun = (task: string, result: 'done' | 'failed') => void;

export const countRuns = (telemetry: Telemetry): CountRun => {
  const runs = telemetry.counter({
    name: 'upkeep_runs_total',
    help: 'Runs of tasks of upkeep that have ended, each attempt of its own',
    labels: ['task', 'result'],
  });
  return (task, result) => runs.add(1, { task, result });
};

/** Publishes the time of the last completed run of each task, for alerts about overdue tasks. */
export const measureRuns = (telemetry: Telemetry, store: RunStore, tasks: ReadonlyMap<string, UpkeepTask>): void =>
  telemetry.gauge(
    {
      name: 'upkeep_last_success_timestamp_seconds',
      help: 'When a run of a task of upkeep was done last, for whichever tenant',
      labels: ['task'],
      of: 'store',
    },
    async () => {
      const readings = [];
      for (const task of tasks.keys()) {
        const times = (await store.lastDone(task)).map(({ completedMs }) => completedMs ?? 0);
        if (times.length > 0) readings.push({ value: Math.max(...times) / 1_000, labels: { task } });
      }
      return readings;
    },
  );
