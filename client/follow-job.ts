import type { AnswerOf } from './call-types.ts';
import { JobFailedError } from './client-errors.ts';
import type { Connection } from './connection.ts';
import { pause } from './platform.ts';
import { readBody } from './read-reply.ts';

/** A job with its progress. A finished job also has the members of its result. */
export type Job = AnswerOf<'GET /v1/jobs/{id}'>;

export interface FollowJobOptions {
  /** Ends the waiting; the job itself goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each state of the job. */
  readonly onProgress?: ((job: Job) => void) | undefined;
}

const FIRST_LOOK_MS = 200;
const MAX_LOOK_MS = 5_000;

/** Waits until a job is done and returns it. Rejects with a `JobFailedError` when it has failed or was cancelled. */
export const followJob = async (
  connection: Connection,
  id: string,
  { signal, onProgress }: FollowJobOptions = {},
): Promise<Job> => {
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 1.5, MAX_LOOK_MS)) {
    const job = (await connection.send({ route: 'GET /v1/jobs/{id}', params: { id }, signal }, readBody)) as Job;
    onProgress?.(job);
    if (job.status === 'done') return job;
    if (job.status === 'failed') throw failed(job);
    await pause(connection.platform, lookMs, signal);
  }
};

const failed = (job: Job): JobFailedError =>
  new JobFailedError({
    status: 200,
    code: 'job_failed',
    detail: `the job has failed: ${job.error ?? 'the node gives no reason'}`,
    body: job,
  });
