import { addPeriod, type ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const RUNS = 'upkeep_runs';
export const PLANS = 'upkeep_plans';

export const upkeepMigrations: readonly Migration[] = [
  {
    number: 30,
    name: 'upkeep',
    async up({ schema }) {
      await schema.createTable(RUNS, (table) => {
        table.text('tenant_id').notNullable();
        table.text('task').notNullable();
        // The scheduled time of the run, or the time of the request.
        table.bigInteger('due_ms').notNullable();
        table.text('job_id').notNullable();
        table.text('status').notNullable();
        table.bigInteger('started_ms');
        table.bigInteger('completed_ms');
        table.text('result');
        table.text('error');
        addPeriod(table);
        table.primary(['tenant_id', 'task', 'due_ms']);
        table.index(['task', 'status', 'due_ms'], 'upkeep_runs_last');
      });
      await schema.createTable(PLANS, (table) => {
        table.text('tenant_id').notNullable();
        table.text('task').notNullable();
        table.text('patterns').notNullable();
        // All scheduled times up to this one have been planned.
        table.bigInteger('planned_ms').notNullable();
        table.primary(['tenant_id', 'task']);
      });
    },
  },
];

export const upkeepContents: readonly ContentColumns[] = [
  { table: RUNS, key: ['tenant_id', 'task', 'due_ms'], expiring: ['result', 'error'] },
];
