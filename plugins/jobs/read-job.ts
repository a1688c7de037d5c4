import { type Facts, type Principal, ServiceError } from '../../kernel/plugin-api.ts';
import { jobJson } from './job-json.ts';
import type { JobRunner } from './job-runner.ts';
import type { JobStore } from './job-store.ts';

export interface ReadJobParts {
  readonly store: JobStore;
  readonly runner: Pick<JobRunner, 'handlerOf'>;
  readonly facts: Facts;
}

/**
 * A job as its creator or an administrator of the tenant reads it. Its result is a snapshot of what the worker saw, so
 * it is presented by whoever made it, on a reader with the rights of today.
 */
export const readJob = ({ store, runner, facts }: ReadJobParts, id: string, caller: Principal) =>
  facts.read(caller, 'query', async (reader) => {
    const job = await store.readableBy(caller, id, reader.snapshot);
    if (job === undefined) throw new ServiceError('lookup', 'no such job');
    const present = job.result === null ? undefined : runner.handlerOf(job.type)?.present;
    const shown = job.result === null || present === undefined ? {} : await present(job.result, reader);
    return jobJson(job, shown);
  });
