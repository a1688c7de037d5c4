import { COUNT_JSON, INSTANT_JSON, objectOf, orNull, SCOPES, STRING_JSON } from '../../kernel/plugin-api.ts';
import type { JobReport, JobSummary, ReportedProgress } from './jobs-api.ts';

const PROGRESS_JSON = objectOf({ done: COUNT_JSON, total: orNull(COUNT_JSON), rate_per_s: { type: 'number' } });

/** A job in a list. */
export const JOB_SUMMARY_JSON = objectOf(
  {
    job_id: STRING_JSON,
    job_type: STRING_JSON,
    status: { type: 'string', enum: ['pending', 'running', 'done', 'failed'] },
    scope: orNull({ type: 'string', enum: [...SCOPES, 'all'] }),
    estimated_s: COUNT_JSON,
    created_at: INSTANT_JSON,
    started_at: INSTANT_JSON,
    completed_at: INSTANT_JSON,
    error: STRING_JSON,
    progress: PROGRESS_JSON,
  },
  { optional: ['started_at', 'completed_at', 'error', 'progress'] },
);

/** A job in an answer. The object is open, because it also contains the members of the result. */
export const JOB_JSON = { ...JOB_SUMMARY_JSON, additionalProperties: true };

/** A job as its route shows it. A member of the result never replaces a member of the job. */
export const jobJson = (job: JobReport): Record<string, unknown> => ({ ...job.result, ...jobSummaryJson(job) });

export const jobSummaryJson = (job: JobSummary): Record<string, unknown> => ({
  job_id: job.id,
  job_type: job.type,
  status: job.status,
  scope: job.scope,
  estimated_s: job.estimatedSeconds,
  created_at: job.createdAt,
  ...(job.startedAt === null ? {} : { started_at: job.startedAt }),
  ...(job.completedAt === null ? {} : { completed_at: job.completedAt }),
  ...(job.error === null ? {} : { error: job.error }),
  ...(job.progress === null ? {} : { progress: progressJson(job.progress) }),
});

const progressJson = ({ done, total, ratePerSecond }: ReportedProgress) => ({
  done,
  total,
  rate_per_s: ratePerSecond,
});

/** The body of a 202 reply: a job continues the work of the request. */
export const ACCEPTED_JOB_JSON = objectOf({
  job_id: STRING_JSON,
  status: { type: 'string', const: 'pending' },
  estimated_s: COUNT_JSON,
});

export const acceptedJobJson = (id: string, estimatedSeconds: number): Record<string, unknown> => ({
  job_id: id,
  status: 'pending',
  estimated_s: estimatedSeconds,
});
