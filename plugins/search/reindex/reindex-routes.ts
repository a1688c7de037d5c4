import { objectSchema } from '../../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  DEFAULT_TENANT,
  type HookCaller,
  listOf,
  objectOf,
  type Principal,
  type Route,
  requirePermission,
  ServiceError,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import { ACCEPTED_JOB_JSON, acceptedJobJson, type JobQueue } from '../../jobs/jobs-api.ts';
import type { IndexReport, RebuildableIndex } from '../search-api.ts';
import { knownIndexes, REINDEX_JOB } from './reindex-job.ts';

export interface ReindexRouteParts {
  readonly hooks: HookCaller;
  /** Undefined on a node without background jobs. */
  readonly jobs: JobQueue | undefined;
}

interface ReindexBody {
  readonly what?: readonly string[];
}

const PATH = '/v1/admin/reindex';

const INDEX_JSON = objectOf(
  {
    name: STRING_JSON,
    summary: STRING_JSON,
    state: { type: 'string', enum: ['complete', 'building'] },
    done: COUNT_JSON,
    total: COUNT_JSON,
    error: STRING_JSON,
    details: { type: 'object', additionalProperties: { type: ['string', 'integer'] } },
  },
  { optional: ['done', 'total', 'error', 'details'] },
);

/** `POST /v1/admin/reindex` */
export const reindexRoute = ({ hooks, jobs }: ReindexRouteParts): Route<undefined, undefined, ReindexBody> => ({
  method: 'POST',
  path: PATH,
  summary: 'Builds search indexes anew while the node serves',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  body: objectSchema<ReindexBody>({
    what: { type: 'array', minItems: 1, maxItems: 16, uniqueItems: true, items: { type: 'string' } },
  }),
  bodyOptional: true,
  answers: { 202: { json: ACCEPTED_JOB_JSON } },
  example: { body: { what: ['edges'] } },
  async handle({ caller, body }) {
    requireDefaultTenant(caller);
    const known = (await knownIndexes(hooks)).map(({ name }) => name);
    const what = body.what ?? known;
    if (what.some((name) => !known.includes(name))) {
      const message = `what accepts ${known.join(', ')}`;
      throw new ServiceError('validation', message, { violations: [{ path: 'body.what', message }] });
    }
    if (jobs === undefined) {
      throw new ServiceError('unavailable', 'this node cannot work in the background', {
        hint: "enable the plugin 'jobs'",
      });
    }
    const names = known.filter((name) => what.includes(name));
    const id = await jobs.enqueue({
      type: REINDEX_JOB,
      tenantId: caller.tenantId,
      creator: caller.entityUri,
      payload: { what: names },
      dedupe: { key: names.join(' '), until: 'ended' },
    });
    return { status: 202, body: acceptedJobJson(id, 0) };
  },
});

/** `GET /v1/admin/reindex` */
export const reindexStateRoute = ({ hooks, jobs }: ReindexRouteParts): Route => ({
  method: 'GET',
  path: PATH,
  summary: 'How complete the search indexes are, and which job builds them anew',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  answers: {
    200: {
      json: objectOf({ indexes: listOf(INDEX_JSON), job_id: { type: ['string', 'null'] } }),
    },
  },
  example: {},
  async handle({ caller }) {
    requireDefaultTenant(caller);
    const indexes = await Promise.all((await knownIndexes(hooks)).map(reportOf));
    return { status: 200, body: { indexes, job_id: (await runningJob(caller, jobs)) ?? null } };
  },
});

const reportOf = async (index: RebuildableIndex) => indexJson(index, await index.state());

const indexJson = (
  { name, summary }: RebuildableIndex,
  { isComplete, done, total, error, details }: IndexReport,
): Record<string, unknown> => ({
  name,
  summary,
  state: isComplete ? 'complete' : 'building',
  ...(done === undefined ? {} : { done }),
  ...(total === undefined ? {} : { total }),
  ...(error === undefined ? {} : { error }),
  ...(details === undefined ? {} : { details }),
});

/**
 * Returns the id of the running rebuild. Listing jobs needs the permission `read`, which `admin` does not include.
 * Administrators may see this job all the same.
 */
const runningJob = async (caller: Principal, jobs: JobQueue | undefined): Promise<string | undefined> => {
  const reader = { ...caller, permissions: new Set([...caller.permissions, 'read']) };
  for (const status of ['running', 'pending'] as const) {
    const found = await jobs?.list(reader, { type: REINDEX_JOB, status }, { limit: 1 });
    const [job] = found?.jobs ?? [];
    if (job !== undefined) return job.id;
  }
  return undefined;
};

/** Indexes hold the facts of all tenants, so only the default tenant administers them. */
const requireDefaultTenant = (caller: Principal): void => {
  requirePermission(caller, 'admin');
  if (caller.kind !== 'node' && caller.tenantId !== DEFAULT_TENANT) {
    throw new ServiceError('authorization', `only administrators of the tenant ${DEFAULT_TENANT} see to the indexes`);
  }
};
