import { defineCollectHook, defineRef, type Principal } from '../../kernel/plugin-api.ts';
import type { JobData, JobRun } from '../jobs/jobs-api.ts';

/** One run of a task. It runs inside a job. */
export interface UpkeepRun {
  /** The tenant of the run. The default tenant for a task `per` node. */
  readonly tenantId: string;
  /** The node itself in this tenant. It may read every scope, but no garden. */
  readonly caller: Principal;
  /** Progress, checkpoints, and the signal to stop. After a crash the run starts again. */
  readonly job: JobRun;
}

/** Work that a node does by its schedule, or on request of an administrator. */
export interface UpkeepTask {
  /** The name in the schedule: lower-case letters and dashes, such as `lint`. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /** `tenant`: once for each active tenant. `node`: once for the whole node. */
  readonly per: 'tenant' | 'node';
  /**
   * Does the work and returns its result: a small object of counts and short texts, without values of facts. The result
   * is stored and shown to administrators. After an error the job is tried again, except for a ServiceError below 500.
   * Never calls `job.finish`.
   */
  start(run: UpkeepRun): Promise<JobData>;
}

/** Collects the tasks of all plugins. Called once, when the node starts. */
export const upkeepTasks = defineCollectHook<Record<string, never>, UpkeepTask>('upkeep:tasks');

/** One run of a task for one tenant. */
export interface RunReport {
  /** The scheduled time of the run, or the time of the request. Milliseconds since the epoch. */
  readonly dueMs: number;
  readonly status: 'pending' | 'running' | 'done' | 'failed';
  readonly jobId: string;
  readonly startedMs: number | null;
  readonly completedMs: number | null;
  readonly result: JobData | null;
  /** A description for people. */
  readonly error: string | null;
}

/** A task with its next time and its last result. */
export interface TaskReport extends Pick<UpkeepTask, 'name' | 'summary' | 'per'> {
  /** Cron patterns in UTC. Empty for a task without a schedule. */
  readonly patterns: readonly string[];
  readonly nextMs: number | null;
  /** Newest first. */
  readonly runs: readonly RunReport[];
}

/** Needs `admin`. Only administrators of the default tenant may use tasks of the whole node. */
export interface Upkeep {
  /** The tasks of this node, with the runs for the caller's tenant. */
  report(caller: Principal): Promise<readonly TaskReport[]>;
  /**
   * Runs a task for the caller's tenant now, regardless of the schedule, and returns the job. If the last run has not
   * ended, returns its job. Rejects with `lookup` for a task that the caller cannot see.
   */
  run(caller: Principal, task: string): Promise<string>;
  /**
   * Returns the result of the last completed run of a task for each tenant, for metrics without tenant names. Limited:
   * with very many tenants it leaves out the oldest runs.
   */
  lastResults(task: string): Promise<readonly JobData[]>;
}

export const Upkeep = defineRef<Upkeep>('upkeep.upkeep');
