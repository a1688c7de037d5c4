import { defineCollectHook, defineRef, type Principal } from '../../kernel/plugin-api.ts';
import type { JobData, JobRun } from '../jobs/jobs-api.ts';

/** One run of a task, inside a job of its own. */
export interface UpkeepRun {
  /** The tenant whose turn it is; the default tenant for a task `per` node. */
  readonly tenantId: string;
  /** The node itself in this tenant: it reads every scope, and no garden. */
  readonly caller: Principal;
  /** Progress, checkpoints, and the signal that says when to stop. The run may begin again after a crash. */
  readonly job: JobRun;
}

/** Work that a node does by its schedule, or when an administrator asks for it. */
export interface UpkeepTask {
  /** The word of the task in the schedule: lower-case letters and dashes, such as `lint`. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /** `tenant`: once for each tenant that is served. `node`: once for the whole node. */
  readonly per: 'tenant' | 'node';
  /**
   * Does the work and returns its result: a small object of counts and short texts, without values of facts. It is
   * stored and shown to administrators. After a throw the job is tried again, except for a ServiceError below 500.
   * Never calls `job.finish`.
   */
  start(run: UpkeepRun): Promise<JobData>;
}

/** Asks plugins for the tasks that a schedule may name. Once, when the node starts. */
export const upkeepTasks = defineCollectHook<Record<string, never>, UpkeepTask>('upkeep:tasks');

/** One run of a task for one tenant. */
export interface RunReport {
  /** The time of the schedule for which it is, or when somebody asked for it. Milliseconds since the epoch. */
  readonly dueMs: number;
  readonly status: 'pending' | 'running' | 'done' | 'failed';
  readonly jobId: string;
  readonly startedMs: number | null;
  readonly completedMs: number | null;
  readonly result: JobData | null;
  /** A text for people. */
  readonly error: string | null;
}

/** A task with its next time and its last result. */
export interface TaskReport extends Pick<UpkeepTask, 'name' | 'summary' | 'per'> {
  /** Cron patterns in UTC; none for a task that the schedule does not name. */
  readonly patterns: readonly string[];
  readonly nextMs: number | null;
  /** The newest first. */
  readonly runs: readonly RunReport[];
}

/** Needs `admin`. Tasks of the whole node are for administrators of the default tenant alone. */
export interface Upkeep {
  /** The tasks of this node, with the runs for the caller's tenant. */
  report(caller: Principal): Promise<readonly TaskReport[]>;
  /**
   * Runs a task for the caller's tenant now, regardless of the schedule, and returns the job: that of the last run if
   * it has not ended. Rejects with `lookup` for a task that the caller cannot see.
   */
  run(caller: Principal, task: string): Promise<string>;
  /**
   * The result of the last finished run of a task, for each tenant: for measures that name no tenant. Bounded; with
   * very many tenants it leaves out those that ran longest ago.
   */
  lastResults(task: string): Promise<readonly JobData[]>;
}

export const Upkeep = defineRef<Upkeep>('upkeep.upkeep');
