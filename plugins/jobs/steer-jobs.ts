import { type Principal, requireLimit, requirePermission, ServiceError } from '../../kernel/plugin-api.ts';
import type { Job } from './job-row.ts';
import type { JobQueue, JobSummary } from './jobs-api.ts';
import { isCovered, type ReadJobParts, summaryOf } from './read-job.ts';

export const MAX_JOBS_PAGE = 500;
export const DEFAULT_JOBS_PAGE = 50;

/** Implements `JobQueue.list`. */
export const listJobs = async (
  { store, facts, runner }: ReadJobParts,
  caller: Principal,
  filter: Parameters<JobQueue['list']>[1],
  { after, limit }: Parameters<JobQueue['list']>[2],
): ReturnType<JobQueue['list']> => {
  requirePermission(caller, 'read');
  requireLimit(limit, MAX_JOBS_PAGE);
  return facts.read(caller, 'query', async (reader) => {
    const found = await store.listedFor(caller, filter, { after, limit: limit + 1 }, reader.snapshot);
    return { jobs: found.slice(0, limit).map((job) => summaryOf(job, reader, runner)), more: found.length > limit };
  });
};

/** Returns a job that the caller may cancel. Throws the errors of `JobQueue.cancel` for others. */
export const steerJob = async ({ store, facts, runner }: ReadJobParts, caller: Principal, id: string): Promise<Job> => {
  requirePermission(caller, 'read');
  const job = await facts.read(caller, 'query', ({ snapshot }) => store.readableBy(caller, id, snapshot));
  if (job === undefined) throw new ServiceError('lookup', 'no such job');
  const steering = runner.handlerOf(job.type)?.steering ?? 'read';
  if (steering === 'nobody') {
    throw new ServiceError('conflict', 'jobs of this type can be neither cancelled nor resumed: the work must end', {
      hint: 'the node goes on with the work by itself',
    });
  }
  requirePermission(caller, steering);
  return job;
};

/** Implements `JobQueue.resume`. */
export const resumeJob = async (parts: ReadJobParts, caller: Principal, id: string): Promise<JobSummary> => {
  const job = await steerJob(parts, caller, id);
  const reader = await parts.facts.read(caller, 'query', async ({ gardens }) => ({ caller, gardens }));
  if (!job.isEmptied && !isCovered(job, reader, parts.runner)) {
    throw new ServiceError('authorization', 'the job works by permissions, scopes or gardens that this key lacks', {
      hint: 'ask for the work anew',
    });
  }
  return summaryOf(await parts.store.resume(job), reader, parts.runner);
};
