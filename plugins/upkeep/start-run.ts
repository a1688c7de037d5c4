import {
  type Clock,
  nodePrincipal,
  type PluginTransaction,
  type Principal,
  SCOPES,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { JobData, JobHandler, JobQueue, JobRun } from '../jobs/jobs-api.ts';
import type { RunStore } from './run-store.ts';
import type { UpkeepTask } from './upkeep-api.ts';
import type { CountRun } from './upkeep-telemetry.ts';

export const UPKEEP_JOB = 'upkeep.run';

/** Adds a run of a task for a tenant, and returns its job. */
export type StartRun = (task: string, tenantId: string, dueMs: number) => Promise<string>;

export interface RunParts {
  readonly store: RunStore;
  readonly jobs: JobQueue;
  readonly clock: Clock;
  readonly names: ServiceNames;
  /** Filled at the start of the node. */
  readonly tasks: ReadonlyMap<string, UpkeepTask>;
  readonly countRun: CountRun;
}

export const createStartRun =
  ({ store, jobs, names }: RunParts): StartRun =>
  (task, tenantId, dueMs) => {
    const enqueue = (transaction: PluginTransaction): Promise<string> =>
      jobs.enqueue(
        {
          type: UPKEEP_JOB,
          tenantId,
          creator: names.systemSource,
          payload: { task, due_ms: dueMs },
          dedupe: { key: `${task} ${dueMs}`, until: 'removed' },
        },
        transaction,
      );
    return store.add({ tenantId, task, dueMs }, enqueue);
  };

/** The maximum number of characters of a stored result, as JSON. */
const MAX_RESULT_CHARACTERS = 16_384;

/** Runs a task, and stores its result. */
export const upkeepJob = (parts: RunParts): JobHandler => ({
  async run(job) {
    const { store, clock, names, tasks, countRun } = parts;
    const key = keyOf(job);
    const task = tasks.get(key.task);
    if (task === undefined) throw new ServiceError('lookup', `no plugin of this node has the task ${key.task}`);
    await note(parts, job, { status: 'running', startedMs: clock.nowMs(), completedMs: null, error: null });
    try {
      const caller = nodePrincipal(names, job.tenantId);
      const result = bounded(await task.start({ tenantId: job.tenantId, caller, job }));
      await job.write(async (transaction) => {
        const change = { status: 'done', completedMs: clock.nowMs(), result } as const;
        await store.update(store.in(transaction), key, change);
        await job.finish(transaction, { task: key.task, ...result });
      });
      countRun(key.task, 'done');
    } catch (error) {
      // An aborted run has not failed: it continues in another process, or was cancelled.
      if (!job.signal.aborted) countRun(key.task, 'failed');
      const message = error instanceof ServiceError ? error.message : INTERNAL;
      // A later attempt replaces this status. If another process has the job now, the update fails and is not needed.
      await note(parts, job, { status: 'failed', completedMs: clock.nowMs(), error: message }).catch(() => {});
      throw error;
    }
    return undefined;
  },
  present: async (result, { caller }) => (seesCounts(caller) ? result : {}),
  covers: (_payload, { caller }) => seesCounts(caller),
  steering: 'admin',
});

/** Returns true if the caller has every scope, because a run counts facts of all of them. */
export const seesCounts = ({ allowedScopes }: Principal): boolean => SCOPES.every((scope) => allowedScopes.has(scope));

const INTERNAL = 'an internal error; the log of the node says more';

const keyOf = ({ tenantId, payload }: JobRun) => ({
  tenantId,
  task: String(payload['task']),
  dueMs: Number(payload['due_ms']),
});

const note = ({ store }: RunParts, job: JobRun, change: Parameters<RunStore['update']>[2]): Promise<void> =>
  job.write((transaction) => store.update(store.in(transaction), keyOf(job), change));

const bounded = (result: JobData): JobData =>
  JSON.stringify(result).length > MAX_RESULT_CHARACTERS ? { truncated: true } : result;
