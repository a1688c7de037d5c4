import type { PluginTables, Telemetry } from '../../kernel/plugin-api.ts';

/** The maximum number of jobs that are counted, so that a long queue does not slow a scrape. */
const MOST_COUNTED = 10_000;
const OPEN = ['pending', 'running'] as const;
const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200] as const;

export interface RunningJob {
  readonly type: string;
  /** The completed part of the work, from 0 to 1. */
  readonly share: number;
}

export class JobTelemetry {
  readonly #telemetry: Telemetry;
  readonly #seconds;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
    this.#seconds = telemetry.histogram({
      name: 'jobs_run_seconds',
      help: 'Time of one run of a job, by its type and how it ended; a run that was interrupted goes on in another',
      labels: ['type', 'result'],
      buckets: SECONDS,
    });
  }

  /** Runs the job in a trace of its own. */
  run<T>(type: string, work: () => Promise<T>): Promise<T> {
    return this.#telemetry.span(`job ${type}`, { kind: 'consumer', parent: 'none' }, work);
  }

  ended(type: string, result: 'done' | 'failed', tookMs: number): void {
    this.#seconds.observe(tookMs / 1_000, { type, result });
  }
}

/** Measures the queue, and the progress of the jobs of this process. */
export const measureQueue = (
  telemetry: Telemetry,
  tables: PluginTables,
  progress: () => readonly RunningJob[],
): void => {
  telemetry.gauge(
    {
      name: 'jobs_progress_ratio',
      help: 'How far the jobs are that run, from 0 to 1, of each type the one that is least far',
      labels: ['type'],
    },
    () => {
      const least = new Map<string, number>();
      for (const { type, share } of progress()) least.set(type, Math.min(share, least.get(type) ?? 1));
      return [...least].map(([type, value]) => ({ value, labels: { type } }));
    },
  );
  telemetry.gauge(
    {
      name: 'jobs_open_jobs',
      help: `Jobs that wait or run, counted up to ${MOST_COUNTED} together`,
      labels: ['status'],
      of: 'store',
    },
    async () => {
      const rows: { readonly status: string }[] = await tables('jobs_queue')
        .whereIn('status', [...OPEN])
        .select('status')
        .limit(MOST_COUNTED);
      return OPEN.map((status) => ({
        value: rows.filter((row) => row.status === status).length,
        labels: { status },
      }));
    },
  );
};
