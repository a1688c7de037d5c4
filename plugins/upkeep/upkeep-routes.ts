import { objectSchema } from '../../kernel/internal-api.ts';
import type { Route } from '../../kernel/plugin-api.ts';
import { ACCEPTED_JOB_JSON, acceptedJobJson } from '../jobs/jobs-api.ts';
import type { Upkeep } from './upkeep-api.ts';
import { taskJson, UPKEEP_JSON } from './upkeep-json.ts';

/** `GET /v1/upkeep` */
export const upkeepRoute = (upkeep: Upkeep): Route => ({
  method: 'GET',
  path: '/v1/upkeep',
  summary: 'Tasks of upkeep, when they are due next, and what came of their last runs',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  answers: { 200: { json: UPKEEP_JSON } },
  example: {},
  handle: async ({ caller }) => ({ status: 200, body: { tasks: (await upkeep.report(caller)).map(taskJson) } }),
});

interface Params {
  readonly task: string;
}

/** `POST /v1/upkeep/{task}/run` */
export const runUpkeepRoute = (upkeep: Upkeep): Route<Params> => ({
  method: 'POST',
  path: '/v1/upkeep/:task/run',
  summary: 'Runs a task of upkeep now, as a job',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  params: objectSchema<Params>({ task: { type: 'string' } }),
  bodyForm: 'none',
  answers: { 202: { json: ACCEPTED_JOB_JSON } },
  example: { params: { task: 'lint' } },
  handle: async ({ caller, params }) => ({
    status: 202,
    body: acceptedJobJson(await upkeep.run(caller, params.task), 0),
  }),
});
