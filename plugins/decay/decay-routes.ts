import { objectSchema } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  memberRefusal,
  objectOf,
  type Route,
  SCOPES,
  type Scope,
} from '../../kernel/plugin-api.ts';
import { ACCEPTED_JOB_JSON, acceptedJobJson } from '../jobs/jobs-api.ts';
import type { Decay } from './decay-api.ts';

interface Asked {
  readonly dry_run?: boolean;
  readonly scope?: Scope;
  readonly ttl_seconds?: number;
  readonly min_confidence?: number;
}

const ASKED = objectSchema<Asked>({
  dry_run: { type: 'boolean' },
  scope: { type: 'string', enum: SCOPES },
  ttl_seconds: { type: 'number', minimum: 0 },
  min_confidence: { type: 'number', minimum: 0, maximum: 1 },
});

const SWEEP_JSON = objectOf({ scanned: COUNT_JSON, decayed: COUNT_JSON, dry_run: BOOLEAN_JSON });

/** `POST /v1/decay/sweep`: takes each member as a query parameter or in a JSON body. */
export const sweepRoute = (decay: Decay): Route<undefined, Asked, Asked> => ({
  method: 'POST',
  path: '/v1/decay/sweep',
  summary: 'Lets facts end that are old or uncertain, or counts them',
  access: { permission: 'write' },
  dimension: 'fact_write',
  // Tests every fact below the threshold of a job.
  cost: 1_000,
  query: ASKED,
  body: ASKED,
  bodyOptional: true,
  answers: { 200: { json: SWEEP_JSON }, 202: { json: ACCEPTED_JOB_JSON } },
  example: { body: { dry_run: true, scope: 'company', ttl_seconds: 7_776_000, min_confidence: 0.2 } },
  async handle({ caller, query, body, signal }) {
    const asked = merged(query, body);
    const isTrial = asked.dry_run ?? false;
    const { scope, ttl_seconds: ttlSeconds, min_confidence: minConfidence } = asked;
    const done = await decay.sweep(caller, { scope, ttlSeconds, minConfidence, isTrial }, signal);
    if ('jobId' in done) return { status: 202, body: acceptedJobJson(done.jobId, done.estimatedSeconds) };
    return { status: 200, body: { scanned: done.scanned, decayed: done.decayed, dry_run: isTrial } };
  },
});

/** Refuses a member in both places, because its two values could differ. */
const merged = (query: Asked, body: Asked): Asked => {
  const given = Object.entries(body).filter(([, value]) => value != null);
  for (const [name] of given) {
    if (!Object.hasOwn(query, name)) continue;
    throw memberRefusal(`query.${name}`, 'is in the body as well; send it in one of the two', 'bad_parameter');
  }
  return { ...query, ...(Object.fromEntries(given) as Asked) };
};
