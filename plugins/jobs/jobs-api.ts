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
export { type JobParams, jobRoute } from './job-routes.ts';
export {
  type CountedView,
  coversRights,
  creatorOf,
  hadGardens,
  rightsOf,
  seesAllOf,
  type WorkingRights,
} from './working-rights.ts';

/** The input or the result of a job, as plain JSON: identifiers and numbers, never credentials or values of facts. */
export type JobData = Readonly<Record<string, unknown>>;

/** A request for work that one process does after the request that started it. */
export interface JobRequest {
  /** The kind of work, under which its handler is registered: `lint.run`. */
  readonly type: string;
  readonly tenantId: string;
  /** entity_uri of the caller who requested the job. The creator and administrators of the tenant may read the job. */
  readonly creator: string;
  readonly payload?: JobData;
  /** The scope of the work, for people. */
  readonly scope?: Scope | 'all' | null;
  /** The expected duration in whole seconds, for people. */
  readonly estimatedSeconds?: number;
  /** The earliest start, in milliseconds from now. */
  readonly delayMs?: number;
  /** Merges several triggers into one run. */
  readonly dedupe?: JobDedupe;
  /**
   * The maximum number of jobs of this type and holder that wait or run at the same time, for jobs that callers
   * request. Beyond it, `enqueue` rejects with `limit_reached`.
   */
  readonly mostOpen?: number;
  /**
   * The entity whose `mostOpen` limit includes the job; the creator by default. For a program of a person, this is the
   * person.
   */
  readonly holderUri?: string;
}

/** Requests of one tenant and type with the same key share one job. `until` says for how long. */
export interface JobDedupe {
  readonly key: string;
  /**
   * `started` (default): until the job starts. A trigger during the run, which the run may have missed, makes another
   * job. `ended`: until the job ends, so that no two run at the same time. `removed`: until the job is removed; for
   * work that runs once in a period that the key names.
   */
  readonly until?: 'started' | 'ended' | 'removed';
}

export type JobStatus = 'pending' | 'running' | 'done' | 'failed';

/** How much of its work a job has done, in whole units: facts, bytes or pages. */
export interface JobProgress {
  readonly done: number;
  /** Null while the total is unknown. */
  readonly total: number | null;
}

export interface ReportedProgress extends JobProgress {
  /** Units per second since the start of the current attempt. 0 before the first unit. */
  readonly ratePerSecond: number;
}

/** The members of a job in a list. */
export interface JobSummary {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly scope: Scope | 'all' | null;
  readonly estimatedSeconds: number;
  /** RFC 3339. Each instant is null until it happens. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** A description for people. `cancelled` if a caller has cancelled the job. */
  readonly error: string | null;
  /** Null until the work reports progress. */
  readonly progress: ReportedProgress | null;
}

/** One job, with its result. */
export interface JobReport extends JobSummary {
  /** The result as the caller may see it now. Empty without a result or without `present`. */
  readonly result: JobData;
}

/** A job while this process runs it. */
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
  /** The data of the last `checkpoint` of an earlier run. Null for a job that starts from the beginning. */
  readonly resumedFrom: JobData | null;
  /**
   * Reports the progress of the work, in whole numbers of 0 or more. Cheap: the last report stays in memory, and is
   * stored about once a second. Count only objects that the creator may see.
   */
  progress(now: JobProgress): void;
  /**
   * Stores the position of the work durably, at most 256 KiB as JSON. A run after a crash, a stop or a resume finds the
   * data as `resumedFrom`. With a transaction of the job's tenant, the checkpoint is stored exactly when that commits.
   * Rejects as `write` does. A new checkpoint resets the count of attempts.
   */
  checkpoint(data: JobData, transaction?: PluginTransaction): Promise<void>;
  /**
   * Writes for the job's tenant, in a transaction that first checks that this process still holds the job. Otherwise
   * rejects and writes nothing.
   */
  write<T>(work: (transaction: PluginTransaction) => Promise<T>): Promise<T>;
  /** Makes the check of `write` inside an open transaction of the job's tenant, such as in `AppendOptions.guard`. */
  assertHeld(transaction: PluginTransaction): Promise<void>;
  /**
   * Ends the job within a transaction of its tenant, after the check of `write`. The result commits together with the
   * job's own writes, so a worker after a long pause never overwrites the work of another. At most once.
   */
  finish(transaction: PluginTransaction, result?: JobData): Promise<void>;
}

export interface JobHandler {
  /**
   * Does the work, outside any transaction. A returned result ends the job unless `finish` has ended it. After an error
   * the job is tried again later, except for a ServiceError below 500, which would repeat. The work may run again after
   * a crash at any point, so all effects outside `write` and `finish` must be idempotent.
   */
  run(job: JobRun): Promise<JobData | undefined>;
  /**
   * Returns the members of the result that this reader may see now. Without this method, readers see nothing of a
   * result. `result` is the value that `run` returned.
   */
  present?(result: JobData, reader: FactReader): Promise<JobData>;
  /**
   * The permission to cancel or resume a job, in addition to being its creator or an administrator. `read` by default.
   * `nobody` for work that must not stop halfway, such as an erasure.
   */
  readonly steering?: RequiredPermission | 'nobody';
  /**
   * Returns true if the reader has every right that the job uses, such as all of its scopes and gardens. Other readers
   * do not see the amount of work, and cannot resume the job. Without this method, every reader of the job has the
   * rights. `payload` is empty once an erasure has emptied the job.
   */
  covers?(payload: JobData, reader: Pick<FactReader, 'caller' | 'gardens'>): boolean;
}

export interface JobFilter {
  readonly type?: string | undefined;
  readonly status?: JobStatus | undefined;
}

/** The start of a page of jobs: the last job of the previous page. */
export interface JobPlace {
  readonly createdMs: number;
  readonly id: string;
}

/** Durable background work. Jobs survive crashes and restarts, and any process on the store may run them. */
export interface JobQueue {
  /** Number of facts above which a request should become a job: `SVC_ASYNC_JOB_THRESHOLD`. */
  readonly threshold: number;
  /**
   * Adds a job and returns its id, or the id of the existing job with the same `dedupe` key. With a transaction of the
   * job's tenant, the job exists exactly when the transaction commits. Without one, the job is durable when the promise
   * resolves.
   */
  enqueue(request: JobRequest, transaction?: PluginTransaction): Promise<string>;
  /**
   * Adds a job and runs it in this process at once, however many jobs run here, because only this process has the input
   * in its memory. Returns the id. If the process stops, another one calls the handler, without that input. Rejects
   * with `unavailable` when this process could not take the job.
   */
  start(request: Omit<JobRequest, 'dedupe' | 'delayMs'>): Promise<string>;
  /**
   * Registers the handler of a type. Call it once for each type, in `setup`. A job waits until some process has a
   * handler for its type.
   */
  handle(type: string, handler: JobHandler): void;
  /**
   * Returns a job to its creator and to administrators of its tenant. Needs `read`. Rejects with `lookup` for an
   * unknown job and for the job of another caller.
   */
  read(caller: Principal, id: string): Promise<JobReport>;
  /**
   * Returns the jobs that the caller may `read`, newest first, without their results. Needs `read`. `more` is true if
   * older jobs follow the page.
   */
  list(
    caller: Principal,
    filter: JobFilter,
    page: { readonly after?: JobPlace | undefined; readonly limit: number },
  ): Promise<{ readonly jobs: readonly JobSummary[]; readonly more: boolean }>;
  /**
   * Ends a waiting or running job as failed, with the error `cancelled`. Its later writes are refused, and its `signal`
   * aborts in the process that runs it. Rejects with `lookup` as `read` does. Rejects with `conflict` for a job that
   * has ended or cannot be cancelled, and with `authorization` without the permission in its `steering`.
   */
  cancel(caller: Principal, id: string): Promise<void>;
  /**
   * Lets a failed or cancelled job continue from its last checkpoint, with its full number of attempts. Rejects as
   * `cancel` does. Rejects with `conflict` for a job in another state, and while another job does the same work.
   * Rejects with `authorization` if the caller lacks a right of the job (`covers`), and with `limit_reached` while its
   * holder has too many jobs of its type.
   */
  resume(caller: Principal, id: string): Promise<JobSummary>;
}

/** Plugins that also work without jobs use `requires: { jobs: optional(JobQueue) }`. */
export const JobQueue = defineRef<JobQueue>('jobs.queue');
