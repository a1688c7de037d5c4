import { addPeriod, type ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const jobsMigrations: readonly Migration[] = [
  {
    number: 18,
    name: 'jobs',
    async up({ schema }) {
      await schema.createTable('jobs_queue', (table) => {
        table.text('job_id').notNullable();
        table.text('tenant_id').notNullable();
        table.text('job_type').notNullable();
        table.text('status').notNullable();
        // The start of a pending job, the end of the lease of a running job, or the removal of an ended job.
        table.bigInteger('due_ms').notNullable();
        table.bigInteger('fence').notNullable();
        table.integer('attempts').notNullable();
        table.text('creator').notNullable();
        table.text('holder_uri').notNullable();
        table.text('scope');
        table.text('payload').notNullable();
        table.integer('estimated_s').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.bigInteger('started_ms');
        table.bigInteger('completed_ms');
        table.text('result');
        table.text('error');
        // Digest of tenant, type and key while the job merges triggers, and null afterwards: a unique index accepts any
        // number of nulls.
        table.text('dedupe');
        table.text('dedupe_until');
        table.bigInteger('progress_done');
        table.bigInteger('progress_total');
        table.double('progress_rate');
        table.text('checkpoint');
        // The digest of the key for the whole life of the job: a resumed job copies it back into `dedupe`.
        table.text('dedupe_key');
        // 1 once an erasure has emptied an ended job, which then cannot be resumed.
        table.integer('emptied').notNullable();
        addPeriod(table);
        table.primary(['tenant_id', 'job_id']);
        table.unique(['tenant_id', 'dedupe'], { indexName: 'jobs_queue_same' });
        table.index(['status', 'due_ms'], 'jobs_queue_due');
        table.index(['tenant_id', 'created_ms', 'job_id'], 'jobs_queue_newest');
        table.index(['tenant_id', 'creator', 'created_ms', 'job_id'], 'jobs_queue_own');
        table.index(['tenant_id', 'holder_uri', 'job_type', 'status'], 'jobs_queue_open');
      });
    },
  },
];

export const jobsContents: readonly ContentColumns[] = [
  { table: 'jobs_queue', key: ['tenant_id', 'job_id'], expiring: ['payload', 'result', 'error', 'checkpoint'] },
];
