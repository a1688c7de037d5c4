import { formatInstant } from '../../kernel/plugin-api.ts';
import type { Job } from './job-row.ts';
import type { JobData } from './jobs-api.ts';

/** A job as its route shows it (wire contract 16). Members of the result never take the place of the job's own. */
export const jobJson = (job: Job, result: JobData): Record<string, unknown> => ({
  ...result,
  job_id: job.id,
  job_type: job.type,
  status: job.status,
  scope: job.scope,
  estimated_s: job.estimatedSeconds,
  created_at: formatInstant(job.createdMs),
  ...(job.startedMs === null ? {} : { started_at: formatInstant(job.startedMs) }),
  ...(job.completedMs === null ? {} : { completed_at: formatInstant(job.completedMs) }),
  ...(job.error === null ? {} : { error: job.error }),
});
