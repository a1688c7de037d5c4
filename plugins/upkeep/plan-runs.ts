import { eachInTurn } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type ConfirmLease,
  DEFAULT_TENANT,
  type HeldLease,
  type Logger,
  type ServedTenants,
} from '../../kernel/plugin-api.ts';
import type { Timetable } from './read-schedule.ts';
import type { Plan, RunStore } from './run-store.ts';
import type { StartRun } from './start-run.ts';
import type { UpkeepTask } from './upkeep-api.ts';

/** The maximum age of a missed time. If no node was running then, the task runs late, up to this age. */
export const MAX_DELAY_MS = 24 * 3_600_000;
/** How far a plan may lie ahead, because the clocks of processes differ. Beyond it the clock was set back. */
const MAX_AHEAD_MS = 300_000;

export interface PlannerParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: RunStore;
  readonly served: Pick<ServedTenants, 'isServed'>;
  readonly lease: HeldLease;
  readonly startRun: StartRun;
}

/**
 * Starts due runs. Only the holder of a lease plans. The runs are jobs, which any process may run. Each scheduled time
 * has exactly one run per tenant, after any number of attempts.
 */
export const planRuns = async (
  parts: PlannerParts,
  timetables: readonly Timetable[],
  tasks: ReadonlyMap<string, UpkeepTask>,
): Promise<void> => {
  await parts.lease.whileHeld(async (confirm) => {
    await eachInTurn(timetables, async (timetable) => {
      const task = tasks.get(timetable.task);
      if (task !== undefined) await planTask(parts, timetable, task, confirm);
    });
  });
};

const planTask = async (
  parts: PlannerParts,
  timetable: Timetable,
  task: UpkeepTask,
  confirm: ConfirmLease,
): Promise<void> => {
  const { clock, store, log } = parts;
  const nowMs = clock.nowMs();
  const patterns = timetable.patterns.join('; ');
  const plan = await store.planOf(task.name);
  if (plan === undefined || plan.patterns !== patterns || plan.plannedMs > nowMs + MAX_AHEAD_MS) {
    // A schedule starts when a node first reads it, and again if a wrong clock has stored a time in the future. A time
    // that had its run under the wrong clock gets no other one.
    await store.setPlan(task.name, { patterns, plannedMs: nowMs }, confirm);
    log.info('the schedule of a task of upkeep begins', { task: task.name });
    return;
  }
  const dueMs = latestDue(timetable, plan, nowMs);
  if (dueMs === undefined) return;
  const tenants = task.per === 'node' ? [DEFAULT_TENANT] : await store.tenants();
  const served = tenants.filter((tenantId) => parts.served.isServed(tenantId));
  await eachInTurn(served, (tenantId) => parts.startRun(task.name, tenantId, dueMs));
  await store.setPlan(task.name, { patterns, plannedMs: dueMs }, confirm);
  log.info('upkeep is due', { task: task.name, tenants: served.length, delayMs: nowMs - dueMs });
};

/**
 * Returns the latest scheduled time that has passed without a run. Earlier missed times are skipped, because one run
 * does the work of all.
 */
const latestDue = (timetable: Timetable, { plannedMs }: Plan, nowMs: number): number | undefined => {
  let latest: number | undefined;
  let next = timetable.nextAfter(Math.max(plannedMs, nowMs - MAX_DELAY_MS));
  while (next !== undefined && next <= nowMs) {
    latest = next;
    next = timetable.nextAfter(next);
  }
  return latest;
};
