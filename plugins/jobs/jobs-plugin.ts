import {
  Clock,
  definePlugin,
  erasureSweeps,
  Facts,
  KERNEL_API,
  Random,
  ServedTenants,
  schema,
} from '../../kernel/plugin-api.ts';
import { jobRoute } from './job-routes.ts';
import { JobRunner } from './job-runner.ts';
import { JobStore, WORK } from './job-store.ts';
import { JobQueue } from './jobs-api.ts';
import { jobsMigrations } from './jobs-migrations.ts';
import { readJob } from './read-job.ts';
import { sweepResults } from './sweep-results.ts';

/** Finds jobs that no signal tells of: their delay or lease has ended, or a crash has left them. */
const LOOK_INTERVAL_MS = 1_000;
const REMOVAL_INTERVAL_MS = 60_000;
const REMOVED_AT_ONCE = 500;

interface Settings {
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly keepSeconds: number;
}

export const jobsPlugin = definePlugin({
  name: 'jobs',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary:
    'Does work later and in the background: a durable queue that all processes share, and the route that shows a job',
  requires: { facts: Facts, clock: Clock, random: Random, served: ServedTenants },
  provides: [JobQueue],
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
      concurrency: {
        type: 'integer',
        minimum: 1,
        maximum: 64,
        default: 2,
        env: 'SVC_JOB_CONCURRENCY',
        description: 'jobs that one process does at once',
      },
      maxAttempts: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 5,
        env: 'SVC_JOB_MAX_ATTEMPTS',
        description: 'how often a job is tried before it has failed',
      },
      keepSeconds: {
        type: 'integer',
        minimum: 60,
        maximum: 31_536_000,
        default: 86_400,
        env: 'SVC_JOB_KEEP_S',
        description: 'how long a job can be read once it has ended, in seconds',
      },
    },
  }),
  migrations: jobsMigrations,
  setup({ config, use, tables, log, provide, on, route, every, onSignal, onStop }) {
    const { facts, clock, random, served } = use;
    const store = new JobStore({
      tables,
      random,
      served,
      storeTime: (snapshot) => snapshot.databaseMs(),
      keepMs: config.keepSeconds * 1000,
    });
    const runner = new JobRunner({ store, clock, log, ...config });
    const jobs: JobQueue = {
      enqueue: (request, transaction) => store.enqueue(request, transaction),
      handle: (type, handler) => runner.handle(type, handler),
      read: (caller, id) => readJob({ store, runner, facts }, caller, id),
    };
    provide(JobQueue, jobs);
    route(jobRoute(jobs));
    on(erasureSweeps, () => [sweepResults(tables)]);
    onSignal(WORK, () => void runner.look());
    every(LOOK_INTERVAL_MS, () => {
      runner.begin();
      return runner.look();
    });
    every(REMOVAL_INTERVAL_MS, () => store.removeOld(REMOVED_AT_ONCE));
    onStop(() => runner.stop());
  },
});
