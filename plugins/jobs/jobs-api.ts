import {
  defineRef,
  type FactReader,
  type PluginTransaction,
  type Principal,
  type Scope,
} from '../../kernel/plugin-api.ts';

/**
 * What a job takes along and what it leaves: plain JSON. Identifiers and numbers, never credentials or values of facts.
 */
export type JobData = Readonly<Record<string, unknown>>;

/** Work that is to be done later, once, by whichever process is free. */
export interface JobRequest {
  /** What kind of work, as its handler is registered: `lint.run`. */
  readonly type: string;
  readonly tenantId: string;
  /** entity_uri of the caller who asked for it, who may read it, as may administrators of the tenant. */
  readonly creator: string;
  readonly payload?: JobData;
  /** The scope that the work is about, for people. */
  readonly scope?: Scope | 'all' | null;
  /** Whole seconds, for people. */
  readonly estimatedSeconds?: number;
  /** Not before this many milliseconds from now. */
  readonly delayMs?: number;
  /** Makes many triggers one run. */
  readonly dedupe?: JobDedupe;
}

/** Jobs of one tenant and type with the same key are one job, from its creation until this point of its life. */
export interface JobDedupe {
  readonly key: string;
  /**
   * `started` (default): a trigger that comes while the job runs, and may have been overlooked by it, makes another
   * one. `ended`: nor does one run beside another. `removed`: nor once it has ended, as long as it is kept; for what is
   * done once in a period that the key names.
   */
  readonly until?: 'started' | 'ended' | 'removed';
}

export type JobStatus = 'pending' | 'running' | 'done' | 'failed';

/** How far a job has come. */
export interface JobReport {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly scope: Scope | 'all' | null;
  readonly estimatedSeconds: number;
  /** RFC 3339; null while it has not happened. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** For people. */
  readonly error: string | null;
  /** What the job found, as far as the caller may see it now; empty without a result, and without `present`. */
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
   * Aborts when the job was taken over by another process, or the node stops: whatever is done from then on is lost.
   */
  readonly signal: AbortSignal;
  /**
   * A write of the job's tenant, in a transaction that first checks that the job is still held here; rejects otherwise
   * and writes nothing.
   */
  write<T>(work: (transaction: PluginTransaction) => Promise<T>): Promise<T>;
  /**
   * The same check inside a transaction of the job's tenant that somebody else opened, such as `AppendOptions.guard`.
   */
  assertHeld(transaction: PluginTransaction): Promise<void>;
  /**
   * Ends the job within a transaction of its tenant, after the same check: its result is stored exactly when the job's
   * own writes are, so a worker that was paused for long never overwrites what another has done since. At most once.
   */
  finish(transaction: PluginTransaction, result?: JobData): Promise<void>;
}

export interface JobHandler {
  /**
   * Does the work, outside any transaction. A result that is returned ends the job unless `finish` has. A throw is
   * tried again later; a ServiceError below 500 is not, because what somebody did wrong stays wrong. May run again
   * after a crash at any point, so what it does outside `write` and `finish` must bear repetition.
   */
  run(job: JobRun): Promise<JobData | undefined>;
  /**
   * Members of the result for this reader, each judged again by what the reader may see now. Without it nothing of a
   * result is shown. `result` is what the run left.
   */
  present?(result: JobData, reader: FactReader): Promise<JobData>;
}

/** Durable work: what was enqueued survives crashes and restarts, and every process on the store may do it. */
export interface JobQueue {
  /**
   * Adds a job and returns its id, or the id of the one that `dedupe` says is the same. With a transaction, which must
   * be of the job's tenant, the job exists exactly when the transaction commits; without one the job is durable when
   * the promise resolves.
   */
  enqueue(request: JobRequest, transaction?: PluginTransaction): Promise<string>;
  /**
   * Says who does the work of a type. Once per type, in `setup`. A job without a handler in any process waits for one.
   */
  handle(type: string, handler: JobHandler): void;
  /**
   * A job for its creator and for administrators of its tenant. Needs `read`. Rejects with `lookup` for an unknown job
   * and for somebody else's alike.
   */
  read(caller: Principal, id: string): Promise<JobReport>;
}

/** Optional for plugins that can do without: `requires: { jobs: optional(JobQueue) }`. */
export const JobQueue = defineRef<JobQueue>('jobs.queue');
