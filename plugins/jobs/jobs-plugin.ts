import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  erasureSweeps,
  Facts,
  Random,
  ServedTenants,
  ServiceError,
  Telemetry,
} from '../../kernel/plugin-api.ts';
import { JobClaims, LEASE_MS } from './job-claims.ts';
import { cancelJobRoute, jobRoute, listJobsRoute, resumeJobRoute } from './job-routes.ts';
import { SEALED } from './job-row.ts';
import { JobRunner } from './job-runner.ts';
import { JobStore } from './job-store.ts';
import { JobTelemetry, measureQueue } from './job-telemetry.ts';
import { JobQueue } from './jobs-api.ts';
import { jobsCommands } from './jobs-commands.ts';
import { jobsContents, jobsMigrations } from './jobs-migrations.ts';
import { CANCELLED, type QueueParts, WORK } from './queue-parts.ts';
import { readJob } from './read-job.ts';
import { listJobs, resumeJob, steerJob } from './steer-jobs.ts';
import { sweepResults } from './sweep-results.ts';

/**
 * The interval in milliseconds at which each process looks for jobs that no signal announces: after a delay, an expired
 * lease or a crash.
 */
const LOOK_INTERVAL_MS = 1_000;
const REMOVAL_INTERVAL_MS = 60_000;
const REMOVED_AT_ONCE = 500;

interface Settings {
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly keepSeconds: number;
  readonly threshold: number;
}

export const jobsPlugin = defineOwnPlugin({
  name: 'jobs',
  summary:
    'Does work later and in the background: a durable queue that all processes share, and the routes that show, cancel and resume its jobs',
  requires: {
    telemetry: Telemetry,
    facts: Facts,
    clock: Clock,
    cursors: Cursors,
    random: Random,
    served: ServedTenants,
  },
  provides: [JobQueue],
  config: objectSchema<Settings>({
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
    threshold: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000_000,
      default: 100_000,
      env: 'SVC_ASYNC_JOB_THRESHOLD',
      description: 'facts above which a request replies 202 and leaves its work to a job',
    },
  }),
  commands: [jobsCommands],
  migrations: jobsMigrations,
  contents: jobsContents,
  sealed: [SEALED],
  setup({ config, use, tables, log, provide, on, route, every, onSignal, onStop }) {
    const { facts, clock, cursors, random, served } = use;
    const keepMs = config.keepSeconds * 1000;
    const parts: QueueParts = { tables, random, served, storeTime: (snapshot) => snapshot.databaseMs(), keepMs };
    const store = new JobStore(parts);
    const runner = new JobRunner({
      claims: new JobClaims(parts),
      measured: new JobTelemetry(use.telemetry),
      clock,
      log,
      ...config,
    });
    measureQueue(use.telemetry, tables, () => runner.progress());
    const needs = { store, runner, facts };
    const jobs: JobQueue = {
      threshold: config.threshold,
      enqueue: (request, transaction) => store.enqueue(request, transaction),
      start: async (request) => {
        // No other process looks for the job before this one has claimed it.
        const id = await store.enqueue({ ...request, delayMs: LEASE_MS });
        if (await runner.take({ tenantId: request.tenantId, id })) return id;
        throw new ServiceError('unavailable', 'the node could not begin the job', { hint: 'send the request again' });
      },
      handle: (type, handler) => runner.handle(type, handler),
      read: (caller, id) => readJob(needs, caller, id),
      list: (caller, filter, page) => listJobs(needs, caller, filter, page),
      cancel: async (caller, id) => store.cancel(await steerJob(needs, caller, id)),
      resume: (caller, id) => resumeJob(needs, caller, id),
    };
    provide(JobQueue, jobs);
    route(listJobsRoute({ jobs, clock, cursors }));
    route(jobRoute(jobs));
    route(cancelJobRoute(jobs));
    route(resumeJobRoute(jobs));
    on(erasureSweeps, () => [sweepResults(tables)]);
    onSignal(WORK, () => void runner.look());
    onSignal(CANCELLED, () => void runner.tend());
    every(LOOK_INTERVAL_MS, async () => {
      runner.begin();
      await Promise.all([runner.tend(), runner.look()]);
    });
    every(REMOVAL_INTERVAL_MS, () => store.removeOld(REMOVED_AT_ONCE));
    onStop(() => runner.stop());
  },
});
