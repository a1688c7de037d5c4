import {
  type CursorParts,
  objectRequiring,
  objectSchema,
  type PageQuery,
  pageMembers,
} from '../../kernel/internal-api.ts';
import { bindCursor, CURSOR_JSON, listOf, NO_BODY, objectOf, type Route } from '../../kernel/plugin-api.ts';
import { JOB_JSON, JOB_SUMMARY_JSON, jobJson, jobSummaryJson } from './job-json.ts';
import type { JobQueue, JobStatus } from './jobs-api.ts';
import { DEFAULT_JOBS_PAGE, MAX_JOBS_PAGE } from './steer-jobs.ts';

export interface JobParams {
  readonly id: string;
}

const PARAMS = objectRequiring<JobParams>(['id'], { id: { type: 'string' } });

/**
 * `GET /v1/jobs/{id}`: the progress and the result of a job. A plugin may register the route once more under a path of
 * its own, such as `/v1/lint/jobs/:id`.
 */
export const jobRoute = (jobs: Pick<JobQueue, 'read'>, path = '/v1/jobs/:id'): Route<JobParams> => ({
  method: 'GET',
  path,
  summary: 'One asynchronous job, with its progress and its result',
  access: { permission: 'read' },
  params: PARAMS,
  answers: { 200: { json: JOB_JSON } },
  example: { params: { id: 'c4f1d0a2-3b7e-4e59-8d26-71a9be5c0f34' } },
  handle: async ({ caller, params }) => ({ status: 200, body: jobJson(await jobs.read(caller, params.id)) }),
});

interface Query extends PageQuery {
  readonly type?: string;
  readonly status?: JobStatus;
}

export interface JobListParts extends CursorParts {
  readonly jobs: JobQueue;
}

/** `GET /v1/jobs`: the caller's own jobs, newest first; administrators see those of the tenant. */
export const listJobsRoute = (parts: JobListParts): Route<undefined, Query> => ({
  method: 'GET',
  path: '/v1/jobs',
  summary: 'Asynchronous jobs of the caller, newest first; of the whole tenant for administrators',
  access: { permission: 'read' },
  query: objectSchema<Query>({
    type: { type: 'string', minLength: 1, maxLength: 128 },
    status: { type: 'string', enum: ['pending', 'running', 'done', 'failed'] },
    ...pageMembers(DEFAULT_JOBS_PAGE, MAX_JOBS_PAGE),
  }),
  answers: { 200: { json: objectOf({ jobs: listOf(JOB_SUMMARY_JSON), cursor: CURSOR_JSON }) } },
  example: { query: { status: 'done', limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const filter = { type: query.type, status: query.status };
    // Administrators list other jobs under the same filter, so a cursor also depends on that permission.
    const bound = bindCursor(request, query.cursor, [filter, caller.permissions.has('admin')], parts);
    const after = bound.position && { createdMs: Number(bound.position[0]), id: String(bound.position[1]) };
    const { jobs, more } = await parts.jobs.list(caller, filter, { after, limit: query.limit });
    const { list, cursor } = await bound.page(jobs, query.limit, {
      positionOf: ({ createdAt, id }) => [Date.parse(createdAt), id],
      toJson: jobSummaryJson,
      more,
    });
    return { status: 200, body: { jobs: list, cursor } };
  },
});

/** `DELETE /v1/jobs/{id}`: ends a waiting or running job. */
export const cancelJobRoute = (jobs: Pick<JobQueue, 'cancel'>): Route<JobParams> => ({
  method: 'DELETE',
  path: '/v1/jobs/:id',
  summary: 'Cancels an asynchronous job that waits or runs',
  access: { permission: 'read' },
  params: PARAMS,
  answers: { 204: NO_BODY },
  example: { params: { id: 'c4f1d0a2-3b7e-4e59-8d26-71a9be5c0f34' } },
  async handle({ caller, params }) {
    await jobs.cancel(caller, params.id);
    return { status: 204 };
  },
});

/** `POST /v1/jobs/{id}/resume`: resumes a failed or cancelled job at its last checkpoint. */
export const resumeJobRoute = (jobs: Pick<JobQueue, 'resume'>): Route<JobParams> => ({
  method: 'POST',
  path: '/v1/jobs/:id/resume',
  summary: 'Lets an asynchronous job that failed or was cancelled go on from where it was',
  access: { permission: 'read' },
  params: PARAMS,
  bodyForm: 'none',
  answers: { 202: { json: JOB_SUMMARY_JSON } },
  example: { params: { id: 'c4f1d0a2-3b7e-4e59-8d26-71a9be5c0f34' } },
  handle: async ({ caller, params }) => ({ status: 202, body: jobSummaryJson(await jobs.resume(caller, params.id)) }),
});
