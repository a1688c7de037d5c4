import { type Principal, type Route, schema } from '../../kernel/plugin-api.ts';

interface Params {
  readonly id: string;
}

/** `GET /v1/jobs/{id}` (wire contract 16): how far a job has come, and what it found. */
export const jobRoute = (
  describe: (id: string, caller: Principal) => Promise<Readonly<Record<string, unknown>>>,
): Route<Params> => ({
  method: 'GET',
  path: '/v1/jobs/:id',
  summary: 'One asynchronous job, with its result',
  access: { permission: 'read' },
  params: schema<Params>({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  handle: async ({ caller, params }) => ({ status: 200, body: await describe(params.id, caller) }),
});
