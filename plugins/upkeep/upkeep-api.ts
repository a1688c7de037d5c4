import { defineCollectHook, type Principal } from '../../kernel/plugin-api.ts';
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
   * Does the work and returns what came of it: a small object of counts and short texts, without values of facts. It is
   * kept and shown to administrators. After a throw the job is tried again, except for a ServiceError below 500. Leaves
   * `job.finish` alone.
   */
  start(run: UpkeepRun): Promise<JobData>;
}

/** Asks plugins for the tasks that a schedule may name. Once, when the node starts. */
export const upkeepTasks = defineCollectHook<Record<string, never>, UpkeepTask>('upkeep:tasks');
