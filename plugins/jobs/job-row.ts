import type { Row, Scope, SqlValue } from '../../kernel/plugin-api.ts';
import type { JobData, JobDedupe, JobStatus } from './jobs-api.ts';

/** A job as the store holds it. Times in milliseconds since the epoch, by the store's own clock. */
export interface Job {
  readonly id: string;
  readonly tenantId: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly dueMs: number;
  /** Grows with each claim: a holder with an older number holds the job no longer. */
  readonly fence: number;
  readonly attempts: number;
  readonly creator: string;
  readonly scope: Scope | 'all' | null;
  readonly payload: JobData;
  readonly estimatedSeconds: number;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly completedMs: number | null;
  readonly result: JobData | null;
  /** A text for people. */
  readonly error: string | null;
  readonly dedupe: string | null;
  readonly dedupeUntil: NonNullable<JobDedupe['until']> | null;
}

export const jobRow = (job: Job): Row => ({
  job_id: job.id,
  tenant_id: job.tenantId,
  job_type: job.type,
  status: job.status,
  due_ms: job.dueMs,
  fence: job.fence,
  attempts: job.attempts,
  creator: job.creator,
  scope: job.scope,
  payload: JSON.stringify(job.payload),
  estimated_s: job.estimatedSeconds,
  created_ms: job.createdMs,
  started_ms: job.startedMs,
  completed_ms: job.completedMs,
  result: job.result === null ? null : JSON.stringify(job.result),
  error: job.error,
  dedupe: job.dedupe,
  dedupe_until: job.dedupeUntil,
});

export const jobOf = (row: Readonly<Record<string, SqlValue>>): Job => ({
  id: String(row['job_id']),
  tenantId: String(row['tenant_id']),
  type: String(row['job_type']),
  status: row['status'] as JobStatus,
  dueMs: Number(row['due_ms']),
  fence: Number(row['fence']),
  attempts: Number(row['attempts']),
  creator: String(row['creator']),
  scope: (row['scope'] ?? null) as Job['scope'],
  payload: JSON.parse(String(row['payload'])) as JobData,
  estimatedSeconds: Number(row['estimated_s']),
  createdMs: Number(row['created_ms']),
  startedMs: row['started_ms'] == null ? null : Number(row['started_ms']),
  completedMs: row['completed_ms'] == null ? null : Number(row['completed_ms']),
  result: row['result'] == null ? null : (JSON.parse(String(row['result'])) as JobData),
  error: row['error'] == null ? null : String(row['error']),
  dedupe: row['dedupe'] == null ? null : String(row['dedupe']),
  dedupeUntil: (row['dedupe_until'] ?? null) as Job['dedupeUntil'],
});
