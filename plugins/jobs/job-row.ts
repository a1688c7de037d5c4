import { column, defineRow, numberOrNull } from '../../kernel/internal-api.ts';
import type { ReadableTables, Row, Scope, SealedColumns, WritableTables } from '../../kernel/plugin-api.ts';
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

export const progressColumns = (progress: ReportedProgress | null): Row => ({
  progress_done: progress?.done ?? null,
  progress_total: progress?.total ?? null,
  progress_rate: progress?.ratePerSecond ?? null,
});

const progressOf = (row: Row): ReportedProgress | null =>
  row['progress_done'] == null
    ? null
    : {
        done: Number(row['progress_done']),
        total: numberOrNull(row['progress_total']),
        ratePerSecond: Number(row['progress_rate']),
      };

export const { rowOf: jobRow, fromRow: jobOf } = defineRow<Job>({
  id: column.text('job_id'),
  tenantId: column.text('tenant_id'),
  type: column.text('job_type'),
  status: column.text('status'),
  dueMs: column.number('due_ms'),
  fence: column.number('fence'),
  attempts: column.number('attempts'),
  creator: column.text('creator'),
  holderUri: column.text('holder_uri'),
  scope: column.textOrNull('scope'),
  payload: column.json(SEALED, 'payload'),
  estimatedSeconds: column.number('estimated_s'),
  createdMs: column.number('created_ms'),
  startedMs: column.numberOrNull('started_ms'),
  completedMs: column.numberOrNull('completed_ms'),
  result: column.json(SEALED, 'result'),
  error: column.textOrNull('error'),
  dedupe: column.textOrNull('dedupe'),
  dedupeUntil: column.textOrNull('dedupe_until'),
  dedupeKey: column.textOrNull('dedupe_key'),
  progress: { write: progressColumns, read: progressOf },
  checkpoint: column.json(SEALED, 'checkpoint'),
  isEmptied: column.flag('emptied'),
});

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
