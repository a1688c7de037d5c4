import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { Clock, Leases, NodeSelf, ServedTenants, ServiceError, Telemetry } from '../../kernel/plugin-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { createUpkeep } from './create-upkeep.ts';
import { planRuns } from './plan-runs.ts';
import { readSchedule, type Timetable } from './read-schedule.ts';
import { RunStore, SEALED } from './run-store.ts';
import { createStartRun, UPKEEP_JOB, upkeepJob } from './start-run.ts';
import { Upkeep, type UpkeepTask, upkeepTasks } from './upkeep-api.ts';
import { upkeepCommands } from './upkeep-commands.ts';
import { upkeepContents, upkeepMigrations } from './upkeep-migrations.ts';
import { runUpkeepRoute, upkeepRoute } from './upkeep-routes.ts';
import { countRuns, measureRuns } from './upkeep-telemetry.ts';

/** How often the holder of the lease checks for due tasks. */
const LOOK_INTERVAL_MS = 10_000;

interface Settings {
  readonly schedule: string;
}

export const upkeepPlugin = defineOwnPlugin({
  name: 'upkeep',
  summary: 'Runs lint, decay, synthesis, backups and other tasks by a schedule, or when an administrator asks',
  requires: {
    clock: Clock,
    self: NodeSelf,
    leases: Leases,
    served: ServedTenants,
    jobs: JobQueue,
    telemetry: Telemetry,
  },
  provides: [Upkeep],
  commands: [upkeepCommands],
  config: objectSchema<Settings>({
    schedule: {
      type: 'string',
      default: '',
      env: 'SVC_UPKEEP_SCHEDULE',
      description: 'tasks with cron patterns in UTC, such as "lint 0 3 * * *; decay 30 3 * * *"; empty: no schedule',
    },
  }),
  migrations: upkeepMigrations,
  contents: upkeepContents,
  sealed: [SEALED],
  inspect({ config }) {
    readSchedule(config.schedule);
  },
  setup({ config, use, tables, log, hooks, provide, route, onStart, every }) {
    const { clock, self, leases, served, jobs, telemetry } = use;
    const timetables = readSchedule(config.schedule);
    const tasks = new Map<string, UpkeepTask>();
    const store = new RunStore(tables);
    const parts = { store, jobs, clock, names: self.names, tasks, countRun: countRuns(telemetry) };
    measureRuns(telemetry, store, tasks);
    const startRun = createStartRun(parts);
    const upkeep = createUpkeep({ ...parts, timetables, startRun });
    provide(Upkeep, upkeep);
    route(upkeepRoute(upkeep));
    route(runUpkeepRoute(upkeep));
    jobs.handle(UPKEEP_JOB, upkeepJob(parts));
    onStart(async () => {
      for (const task of await hooks.collect(upkeepTasks, {})) tasks.set(task.name, task);
      requireTasks(timetables, tasks);
    });
    if (timetables.length === 0) return;
    const lease = leases.hold('upkeep.schedule');
    every(LOOK_INTERVAL_MS, () => planRuns({ clock, log, store, served, lease, startRun }, timetables, tasks));
  },
});

/** Refuses a schedule with an unknown task, because the operator would believe that the task runs. */
const requireTasks = (timetables: readonly Timetable[], tasks: ReadonlyMap<string, UpkeepTask>): void => {
  const unknown = timetables.map(({ task }) => task).filter((task) => !tasks.has(task));
  if (unknown.length === 0) return;
  const known = [...tasks.keys()].sort().join(', ');
  throw new ServiceError('validation', `SVC_UPKEEP_SCHEDULE names tasks that no plugin has: ${unknown.join(', ')}`, {
    hint: `switch their plugins on, or name others; this node has ${known === '' ? 'no tasks' : known}`,
  });
};
