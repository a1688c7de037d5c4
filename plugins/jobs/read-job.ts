import {
  type FactReader,
  type Facts,
  formatInstant,
  type Principal,
  requirePermission,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { Job } from './job-row.ts';
import type { JobRunner } from './job-runner.ts';
import type { JobStore } from './job-store.ts';
import type { JobReport, JobSummary } from './jobs-api.ts';

export interface ReadJobParts {
  readonly store: JobStore;
  readonly runner: Pick<JobRunner, 'handlerOf'>;
  readonly facts: Facts;
}

/**
 * Implements `JobQueue.read`. The result may contain data that the caller may not see, so the handler presents it with
 * the caller's present rights.
 */
export const readJob = async (
  { store, runner, facts }: ReadJobParts,
  caller: Principal,
  id: string,
): Promise<JobReport> => {
  requirePermission(caller, 'read');
  return facts.read(caller, 'query', async (reader) => {
    const job = await store.readableBy(caller, id, reader.snapshot);
    if (job === undefined) throw new ServiceError('lookup', 'no such job');
    const present = job.result === null ? undefined : runner.handlerOf(job.type)?.present;
    const result = job.result === null || present === undefined ? {} : await present(job.result, reader);
    return { ...summaryOf(job, reader, runner), result };
  });
};

type Reader = Pick<FactReader, 'caller' | 'gardens'>;

/**
 * Returns the summary of a job. Its counts cover all facts of the job, so only readers with all its rights get them.
 */
export const summaryOf = (job: Job, reader: Reader, runner: ReadJobParts['runner']): JobSummary => ({
  id: job.id,
  type: job.type,
  status: job.status,
  scope: job.scope,
  estimatedSeconds: job.estimatedSeconds,
  createdAt: formatInstant(job.createdMs),
  startedAt: instantOf(job.startedMs),
  completedAt: instantOf(job.completedMs),
  error: job.error,
  progress: isCovered(job, reader, runner) ? job.progress : null,
});

/** True if the reader has every right of the job. */
export const isCovered = ({ type, payload }: Job, reader: Reader, runner: ReadJobParts['runner']): boolean =>
  runner.handlerOf(type)?.covers?.(payload, reader) ?? true;

const instantOf = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms));
