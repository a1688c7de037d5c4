import { objectSchema } from '../../kernel/internal-api.ts';
import { component, type Principal, type Reply, type Route, SCOPES, type Scope } from '../../kernel/plugin-api.ts';
import { ACCEPTED_JOB_JSON, acceptedJobJson } from '../jobs/jobs-api.ts';
import type { Syntheses } from './synthesis-api.ts';
import { SYNTHESIS, synthesisJson } from './synthesis-json.ts';

const MAX_FACTS = 1_000;
const DEFAULT_FACTS = 200;

interface Asked {
  readonly entity?: string;
  readonly min_confidence?: number;
  readonly include_expired: boolean;
  readonly limit: number;
}

interface AskedOfScope extends Asked {
  readonly scope?: Scope;
}

const MEMBERS = {
  entity: { type: 'string' },
  min_confidence: { type: 'number', minimum: 0, maximum: 1 },
  include_expired: { type: 'boolean', default: false },
  limit: { type: 'integer', minimum: 1, maximum: MAX_FACTS, default: DEFAULT_FACTS },
} as const;

const SCOPE = { type: 'string', enum: SCOPES } as const;
const ASKED = objectSchema<AskedOfScope>({ scope: SCOPE, ...MEMBERS });

const COMMON = {
  access: { permission: 'read' },
  dimension: 'fact_read',
  // Reads every matching fact below the threshold of a job.
  cost: 1_000,
  answers: { 200: { json: component(SYNTHESIS) }, 202: { json: ACCEPTED_JOB_JSON } },
} as const;

/** `GET /v1/synthesis` */
export const synthesisRoute = (syntheses: Syntheses): Route<undefined, AskedOfScope> => ({
  ...COMMON,
  method: 'GET',
  path: '/v1/synthesis',
  summary: 'The strongest facts, with the winner of each triple and counts',
  query: ASKED,
  example: { query: { scope: 'company', entity: 'project:atlas', min_confidence: 0.5, limit: 50 } },
  handle: ({ caller, query }) => reply(syntheses, caller, query, 'query'),
});

/** `POST /v1/synthesis`: the parameters of `GET` as a body. */
export const synthesisByPostRoute = (syntheses: Syntheses): Route<undefined, undefined, AskedOfScope> => ({
  ...COMMON,
  method: 'POST',
  path: '/v1/synthesis',
  summary: 'The same as GET /v1/synthesis, asked for by a body',
  body: ASKED,
  bodyOptional: true,
  example: {
    body: { scope: 'company', entity: 'project:atlas', min_confidence: 0.5, include_expired: false, limit: 50 },
  },
  handle: ({ caller, body }) => reply(syntheses, caller, body, 'body'),
});

/** `GET /v1/scopes/{scope}/synthesize`: the synthesis of one scope. */
export const synthesisOfScopeRoute = (syntheses: Syntheses): Route<{ scope: Scope }, Asked> => ({
  ...COMMON,
  method: 'GET',
  path: '/v1/scopes/:scope/synthesize',
  summary: 'The same as GET /v1/synthesis, of one scope',
  params: objectSchema<{ scope: Scope }>({ scope: SCOPE }),
  query: objectSchema<Asked>(MEMBERS),
  example: { params: { scope: 'company' }, query: { entity: 'project:atlas', limit: 50 } },
  handle: ({ caller, params: { scope }, query }) => reply(syntheses, caller, { ...query, scope }, 'query'),
});

const reply = async (
  syntheses: Syntheses,
  caller: Principal,
  { scope, entity, min_confidence, include_expired, limit }: AskedOfScope,
  path: 'query' | 'body',
): Promise<Reply> => {
  const made = await syntheses.make(caller, {
    scope: scope ?? undefined,
    entity: entity ?? undefined,
    minConfidence: min_confidence ?? undefined,
    includeExpired: include_expired,
    limit,
    path,
  });
  if ('jobId' in made) return { status: 202, body: acceptedJobJson(made.jobId, made.estimatedSeconds) };
  return { status: 200, body: await synthesisJson(made) };
};
