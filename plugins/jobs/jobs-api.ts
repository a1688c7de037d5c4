import type { RequiredPermission } from '../../kernel/internal-api.ts';
import {
  defineRef,
  type FactReader,
  type PluginTransaction,
  type Principal,
  type Scope,
} from '../../kernel/plugin-api.ts';

export { type FollowContext, followJob } from './follow-job.ts';
export { ACCEPTED_JOB_JSON, acceptedJobJson } from './job-json.ts';
export { jobRoute } from './job-routes.ts';
export {
  type CountedView,
  coversRights,
  creatorOf,
  rightsOf,
  seesAllOf,
  type WorkingRights,
} from './working-rights.ts';

/** The input and the result of a job, as plain JSON. Identifiers and numbers, never credentials or values of facts. */
export type JobData = Readonly<Record<string, unknown>>;

/** Work that one process does later, once. */
export interface JobRequest {
  /** The kind of work, under which its handler is registered: `lint.run`. */
  readonly type: string;
  readonly tenantId: string;
  /** entity_uri of the caller who asked for it, who may read it, as may administrators of the tenant. */
  readonly creator: string;
  readonly payload?: JobData;
  /** The scope of the work, for people. */
  readonly scope?: Scope | 'all' | null;
  /** Whole seconds, for people. */
  readonly estimatedSeconds?: number;
  /** Starts at the earliest this many milliseconds from now. */
  readonly delayMs?: number;
  /** Makes one run of many triggers. */
  readonly dedupe?: JobDedupe;
  /**
   * Most jobs of this type and creator that may wait or run at the same time. `enqueue` rejects with `limit_reached`
   * beyond. For jobs that callers ask for.
   */
  readonly mostOpen?: number;
}

/** Jobs of one tenant and type with the same key are one job, from its creation until this point of its life. */
export interface JobDedupe {
  readonly key: string;
  /**
   * `started` (default): until the job starts. A trigger during the run, which the run may have missed, makes another
   * job. `ended`: until the job ends, so that no two run at the same time. `removed`: as long as the job is kept; for
   * work that is done once in a period that the key names.
   */
  readonly until?: 'started' | 'ended' | 'removed';
}

export type JobStatus = 'pending' | 'running' | 'done' | 'failed';

/** How much of its work a job has done, in whole units of its own: facts, bytes, pages. */
export interface JobProgress {
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

export interface ReportedProgress extends JobProgress {
  /** Units per second since the present attempt began to count. 0 before it has done anything. */
  readonly ratePerSecond: number;
}

/** The members of a job in a list. */
export interface JobSummary {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly scope: Scope | 'all' | null;
  readonly estimatedSeconds: number;
  /** RFC 3339; null while it has not happened. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** A text for people. `cancelled` for a job that a caller has cancelled. */
  readonly error: string | null;
  /** Null as long as the work has not said it. */
  readonly progress: ReportedProgress | null;
}

/** One job, with its result. */
export interface JobReport extends JobSummary {
  /** The result, as far as the caller may see it now; empty without a result or without `present`. */
  readonly result: JobData;
}

/** A job while this process holds it. */
export interface JobRun {
  readonly id: string;
  readonly tenantId: string;
  readonly creator: string;
  readonly scope: Scope | 'all' | null;
  readonly payload: JobData;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Aborts within about a second when a caller cancels the job, when another process took it over, and when the node
   * stops. Later work of this run is lost.
   */
  readonly signal: AbortSignal;
  /** The data of the last `checkpoint`, by an earlier run of this job. Null for a job that starts at its beginning. */
  readonly resumedFrom: JobData | null;
  /**
   * Says how far the work has come. Whole numbers of 0 or more. Costs next to nothing: the last one is kept in memory
   * and stored about once a second. Count only what the creator may see.
   */
  progress(now: JobProgress): void;
  /**
   * Stores durably where the work has come, at most 256 KiB as JSON: a run after a crash, a stop or a resume finds it
   * as `resumedFrom`. With a transaction, which must be of the job's tenant, it is stored exactly when that commits.
   * Rejects as `write` does. Attempts before a new checkpoint do not count as attempts of the work that is left.
   */
  checkpoint(data: JobData, transaction?: PluginTransaction): Promise<void>;
  /**
   * Writes for the job's tenant, in a transaction that first checks that this process still holds the job. Rejects
   * otherwise and writes nothing.
   */
  write<T>(work: (transaction: PluginTransaction) => Promise<T>): Promise<T>;
  /**
   * Makes the same check inside a transaction of the job's tenant that is open already, such as in
   * `AppendOptions.guard`.
   */
  assertHeld(transaction: PluginTransaction): Promise<void>;
  /**
   * Ends the job within a transaction of its tenant, after the same check. The result is stored exactly when the job's
   * own writes are, so a worker that was paused for long never overwrites the work of another. At most once.
   */
  finish(transaction: PluginTransaction, result?: JobData): Promise<void>;
}

export interface JobHandler {
  /**
   * Does the work, outside any transaction. A returned result ends the job unless `finish` has. After a throw the job
   * is tried again later, except for a ServiceError below 500, which would be thrown again. The work may run again
   * after a crash at any point, so all that it does outside `write` and `finish` must bear repetition.
   */
  run(job: JobRun): Promise<JobData | undefined>;
  /**
   * Returns the members of the result for this reader, each judged by what the reader may see now. Without it nothing
   * of a result is shown. `result` is what `run` returned.
   */
  present?(result: JobData, reader: FactReader): Promise<JobData>;
  /**
   * The permission to cancel or resume a job, besides being its creator or an administrator. `read` by default.
   * `nobody` for work that must not stop halfway, such as an erasure.
   */
  readonly steering?: RequiredPermission | 'nobody';
  /**
   * Tells if the caller has every right that the job works with, such as all of its scopes. Callers who lack one do not
   * see the amount of work, and cannot resume it. Without this method, everybody who may read the job has the rights.
   * `payload` is empty once an erasure has emptied the job.
   */
  covers?(payload: JobData, caller: Principal): boolean;
}

export interface JobFilter {
  readonly type?: string | undefined;
  readonly status?: JobStatus | undefined;
}

/** Where a page of jobs begins: behind this job. */
export interface JobPlace {
  readonly createdMs: number;
  readonly id: string;
}

/** Durable work. Jobs survive crashes and restarts, and any process on the store may do them. */
export interface JobQueue {
  /** Facts above which a request should leave its work to a job: `SVC_ASYNC_JOB_THRESHOLD`. */
  readonly threshold: number;
  /**
   * Adds a job and returns its id, or the id of the one that `dedupe` says is the same. With a transaction, which must
   * be of the job's tenant, the job exists exactly when the transaction commits; without one the job is durable when
   * the promise resolves.
   */
  enqueue(request: JobRequest, transaction?: PluginTransaction): Promise<string>;
  /**
   * Registers the handler of a type. Once per type, in `setup`. A job without a handler in any process waits for one.
   */
  handle(type: string, handler: JobHandler): void;
  /**
   * Returns a job to its creator and to administrators of its tenant. Needs `read`. Rejects with `lookup` for an
   * unknown job, and for a job of another caller.
   */
  read(caller: Principal, id: string): Promise<JobReport>;
  /**
   * Returns the jobs that the caller could `read`, newest first, without their results. Needs `read`. `more` says
   * whether others follow the last of them.
   */
  list(
    caller: Principal,
    filter: JobFilter,
    page: { readonly after?: JobPlace | undefined; readonly limit: number },
  ): Promise<{ readonly jobs: readonly JobSummary[]; readonly more: boolean }>;
  /**
   * Ends a waiting or running job as failed, with the error `cancelled`. It writes nothing any more, and its `signal`
   * aborts in the process that runs it. Rejects with `lookup` as `read` does; with `conflict` for a job that has ended
   * or cannot be cancelled; and with `authorization` without the permission in its `steering`.
   */
  cancel(caller: Principal, id: string): Promise<void>;
  /**
   * Lets a failed or cancelled job continue from its last checkpoint, with all its attempts. Rejects as `cancel` does.
   * Rejects with `conflict` for a job in another state, and if another job does its work now. Rejects with
   * `authorization` if the caller lacks a right of the job (`covers`), and with `limit_reached` while its creator has
   * too many of its type.
   */
  resume(caller: Principal, id: string): Promise<JobSummary>;
}

/** Optional for plugins that can do without: `requires: { jobs: optional(JobQueue) }`. */
export const JobQueue = defineRef<JobQueue>('jobs.queue');
