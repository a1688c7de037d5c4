import { numberOrNull, textOrNull } from '../../kernel/internal-api.ts';
import {
  openJson,
  type ReadableTables,
  type Row,
  type Scope,
  type SealedColumns,
  type SqlValue,
  sealJson,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { JobData, JobDedupe, JobStatus, ReportedProgress } from './jobs-api.ts';

export const QUEUE = 'jobs_queue';

export const SEALED = {
  table: QUEUE,
  key: ['tenant_id', 'job_id'],
  columns: ['payload', 'result', 'checkpoint'],
} as const satisfies SealedColumns;

/** A job as it is stored. Times are milliseconds since the epoch by the clock of the store. */
export interface Job {
  readonly id: string;
  readonly tenantId: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly dueMs: number;
  /** Grows with each claim. A process with an older number has lost the job. */
  readonly fence: number;
  readonly attempts: number;
  readonly creator: string;
  /** The entity whose limit of open jobs includes this job. */
  readonly holderUri: string;
  readonly scope: Scope | 'all' | null;
  readonly payload: JobData;
  readonly estimatedSeconds: number;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly completedMs: number | null;
  readonly result: JobData | null;
  /** The reason for people why the job failed. */
  readonly error: string | null;
  readonly dedupe: string | null;
  readonly dedupeUntil: NonNullable<JobDedupe['until']> | null;
  /** The digest of the `dedupe` key from the creation of the job. */
  readonly dedupeKey: string | null;
  readonly progress: ReportedProgress | null;
  readonly checkpoint: JobData | null;
  /** True if an erasure has removed the input and the result of the job. */
  readonly isEmptied: boolean;
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
  holder_uri: job.holderUri,
  scope: job.scope,
  payload: sealJson(job.payload),
  estimated_s: job.estimatedSeconds,
  created_ms: job.createdMs,
  started_ms: job.startedMs,
  completed_ms: job.completedMs,
  result: sealJson(job.result),
  error: job.error,
  dedupe: job.dedupe,
  dedupe_until: job.dedupeUntil,
  dedupe_key: job.dedupeKey,
  ...progressColumns(job.progress),
  checkpoint: sealJson(job.checkpoint),
  emptied: job.isEmptied ? 1 : 0,
});

export const progressColumns = (progress: ReportedProgress | null): Row => ({
  progress_done: progress?.done ?? null,
  progress_total: progress?.total ?? null,
  progress_rate: progress?.ratePerSecond ?? null,
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
  holderUri: String(row['holder_uri']),
  scope: (row['scope'] ?? null) as Job['scope'],
  payload: openJson<JobData>(SEALED, row, 'payload'),
  estimatedSeconds: Number(row['estimated_s']),
  createdMs: Number(row['created_ms']),
  startedMs: numberOrNull(row['started_ms']),
  completedMs: numberOrNull(row['completed_ms']),
  result: openJson<JobData | null>(SEALED, row, 'result'),
  error: textOrNull(row['error']),
  dedupe: textOrNull(row['dedupe']),
  dedupeUntil: (row['dedupe_until'] ?? null) as Job['dedupeUntil'],
  dedupeKey: textOrNull(row['dedupe_key']),
  progress: progressOf(row),
  checkpoint: openJson<JobData | null>(SEALED, row, 'checkpoint'),
  isEmptied: Number(row['emptied']) === 1,
});

const progressOf = (row: Readonly<Record<string, SqlValue>>): ReportedProgress | null =>
  row['progress_done'] == null
    ? null
    : {
        done: Number(row['progress_done']),
        total: numberOrNull(row['progress_total']),
        ratePerSecond: Number(row['progress_rate']),
      };

/** Returns the columns of a job that has ended. */
export const ended = (
  job: Job,
  outcome: {
    readonly status: 'done' | 'failed';
    readonly result?: JobData | null;
    readonly error?: string;
    readonly nowMs: number;
  },
  keepMs: number,
): Job => ({
  ...job,
  status: outcome.status,
  dueMs: outcome.nowMs + keepMs,
  startedMs: job.startedMs ?? outcome.nowMs,
  completedMs: outcome.nowMs,
  result: outcome.result ?? null,
  error: outcome.error ?? null,
  dedupe: job.dedupeUntil === 'removed' ? job.dedupe : null,
});

export const keyOf = ({ tenantId, id }: Pick<Job, 'tenantId' | 'id'>) => ({ tenant_id: tenantId, job_id: id });

export const jobIn = async (own: ReadableTables, job: Pick<Job, 'tenantId' | 'id'>): Promise<Job | undefined> => {
  const [row] = await own.select(QUEUE, keyOf(job));
  return own.parseOne(row, jobOf);
};

export const replace = async (own: WritableTables, job: Job): Promise<void> => {
  const { tenant_id: _, job_id: __, ...changes } = jobRow(job);
  await own(QUEUE).where(keyOf(job)).update(changes);
};
