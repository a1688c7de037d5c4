import {
  type Clock,
  DEFAULT_TENANT,
  type Principal,
  requirePermission,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { JobQueue } from '../jobs/jobs-api.ts';
import type { Timetable } from './read-schedule.ts';
import type { RunStore, StoredRun } from './run-store.ts';
import { type StartRun, seesCounts } from './start-run.ts';
import type { TaskReport, Upkeep, UpkeepTask } from './upkeep-api.ts';

/** Number of runs per task in a report. */
const SHOWN_RUNS = 5;

export interface UpkeepParts {
  readonly clock: Clock;
  readonly store: RunStore;
  readonly jobs: JobQueue;
  readonly timetables: readonly Timetable[];
  readonly tasks: ReadonlyMap<string, UpkeepTask>;
  readonly startRun: StartRun;
}

export const createUpkeep = ({ clock, store, jobs, timetables, tasks, startRun }: UpkeepParts): Upkeep => {
  const tasksOf = ({ tenantId }: Principal): readonly UpkeepTask[] =>
    [...tasks.values()].filter(({ per }) => per === 'tenant' || tenantId === DEFAULT_TENANT);
  return {
    async report(caller) {
      requirePermission(caller, 'admin');
      const own = tasksOf(caller);
      const nowMs = clock.nowMs();
      const names = own.map(({ name }) => name);
      const runs = await store.newest(caller.tenantId, names, SHOWN_RUNS);
      const reports: TaskReport[] = [];
      for (const { name, summary, per } of own) {
        const timetable = timetables.find(({ task }) => task === name);
        const newest = runs.get(name) ?? [];
        const shown: StoredRun[] = [];
        for (const run of newest) {
          const ended = await withEnd(jobs, caller, run);
          shown.push(seesCounts(caller) ? ended : { ...ended, result: null });
        }
        reports.push({
          name,
          summary,
          per,
          patterns: timetable?.patterns ?? [],
          nextMs: timetable?.nextAfter(nowMs) ?? null,
          runs: shown,
        });
      }
      return reports;
    },
    async run(caller, name) {
      requirePermission(caller, 'admin');
      const task = tasksOf(caller).find((one) => one.name === name);
      if (task === undefined) throw new ServiceError('lookup', 'no such task of upkeep', { hint: TASKS_HINT });
      const [last] = (await store.newest(caller.tenantId, [name], 1)).get(name) ?? [];
      // Simultaneous requests share a run that has not ended.
      if (last !== undefined && isOpen(await withEnd(jobs, caller, last))) return last.jobId;
      return startRun(name, caller.tenantId, clock.nowMs());
    },
    lastResults: async (name) =>
      (await store.lastDone(name)).flatMap(({ result }) => (result === null ? [] : [result])),
  };
};

const TASKS_HINT = '"fact-memory-node upkeep status" and GET /v1/upkeep list the tasks of this node';

const isOpen = ({ status }: StoredRun): boolean => status === 'pending' || status === 'running';

/** Adds the end to a run whose job was cancelled or removed, because such a job could not store it. */
const withEnd = async (jobs: JobQueue, caller: Principal, run: StoredRun): Promise<StoredRun> => {
  if (!isOpen(run)) return run;
  // Jobs require `read`, which `admin` does not include, but administrators may see the end of a run.
  const reader = { ...caller, permissions: new Set([...caller.permissions, 'read']) };
  try {
    const { status, error } = await jobs.read(reader, run.jobId);
    return status === 'failed' ? { ...run, status, error } : run;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'lookup')) throw error;
    return { ...run, status: 'failed', error: 'the job is gone' };
  }
};
