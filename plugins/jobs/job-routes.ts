import { type Route, schema } from '../../kernel/plugin-api.ts';
import { JOB_JSON, jobJson } from './job-json.ts';
import type { JobQueue } from './jobs-api.ts';

interface Params {
  readonly id: string;
}

/** `GET /v1/jobs/{id}`: how far a job has come, and what it found. */
export const jobRoute = (jobs: Pick<JobQueue, 'read'>): Route<Params> => ({
  method: 'GET',
  path: '/v1/jobs/:id',
  summary: 'One asynchronous job, with its result',
  access: { permission: 'read' },
  params: schema<Params>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  answers: { 200: { json: JOB_JSON } },
  handle: async ({ caller, params }) => ({ status: 200, body: jobJson(await jobs.read(caller, params.id)) }),
});
