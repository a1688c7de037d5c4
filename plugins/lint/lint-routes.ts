import { objectRequiring, objectSchema, readRelation } from '../../kernel/internal-api.ts';
import {
  component,
  memberRefusal,
  type Principal,
  type Reply,
  type Route,
  readEntityUri,
  SCOPES,
  type Scope,
  spellList,
} from '../../kernel/plugin-api.ts';
import { ACCEPTED_JOB_JSON, acceptedJobJson } from '../jobs/jobs-api.ts';
import { CHECKS, type Check, type Lint, type LintQuestion } from './lint-api.ts';
import { findingJson, LINT_REPORT, lintMembers } from './lint-json.ts';

/** A hundred years. */
const MAX_LOOKAHEAD_S = 3_153_600_000;

const LOOKAHEAD = { type: 'integer', minimum: 0, maximum: MAX_LOOKAHEAD_S, default: 0 } as const;

/** `Lint` takes the turn itself, because equal requests share a run. */
const COST = 0;

const ANSWERS = {
  200: { json: component(LINT_REPORT) },
  202: { json: ACCEPTED_JOB_JSON },
};

interface Body {
  readonly scope: Scope | 'all';
  readonly checks?: readonly Check[] | null;
  readonly entity?: string | null;
  readonly relation?: string | null;
  readonly stale_lookahead_s: number;
}

/** `POST /v1/lint` */
export const postLintRoute = (lint: Lint): Route<undefined, undefined, Body> => ({
  method: 'POST',
  path: '/v1/lint',
  summary: 'Finds what is contradictory, out of date or unconnected among the facts that the caller sees',
  access: { permission: 'read' },
  cost: COST,
  body: objectRequiring<Body>(['scope'], {
    scope: { type: 'string', enum: [...SCOPES, 'all'] },
    checks: { type: ['array', 'null'], items: { type: 'string', enum: CHECKS }, maxItems: 100 },
    entity: { type: ['string', 'null'] },
    relation: { type: ['string', 'null'] },
    stale_lookahead_s: LOOKAHEAD,
  }),
  answers: ANSWERS,
  example: {
    body: {
      scope: 'company',
      checks: ['contradiction', 'stale'],
      entity: 'project:atlas',
      stale_lookahead_s: 604_800,
    },
  },
  handle: ({ caller, body }) =>
    reply(lint, caller, {
      scope: body.scope,
      checks: body.checks ?? [],
      entity: body.entity == null ? undefined : readEntityUri(body.entity, 'body.entity'),
      relation: body.relation == null ? undefined : readRelation(body.relation, 'body.relation'),
      lookaheadSeconds: body.stale_lookahead_s,
    }),
});

interface Query {
  readonly scope?: Scope | 'all';
  readonly checks?: readonly string[];
  readonly entity?: string;
  readonly relation?: string;
  readonly stale_lookahead_s: number;
}

/** `GET /v1/lint` */
export const getLintRoute = (lint: Lint): Route<undefined, Query> => ({
  method: 'GET',
  path: '/v1/lint',
  summary: 'The same with parameters; every scope of the caller unless one is named',
  access: { permission: 'read' },
  cost: COST,
  query: objectSchema<Query>({
    scope: { type: 'string', enum: [...SCOPES, 'all'] },
    checks: { type: 'array', items: { type: 'string', maxLength: 1024 }, maxItems: 100 },
    entity: { type: 'string' },
    relation: { type: 'string' },
    stale_lookahead_s: LOOKAHEAD,
  }),
  answers: ANSWERS,
  example: { query: { scope: 'company', checks: 'contradiction', stale_lookahead_s: 604_800 } },
  handle: ({ caller, query }) =>
    reply(lint, caller, {
      scope: query.scope ?? 'all',
      checks: readChecks(query.checks ?? []),
      entity: query.entity === undefined ? undefined : readEntityUri(query.entity, 'query.entity'),
      relation: query.relation === undefined ? undefined : readRelation(query.relation, 'query.relation'),
      lookaheadSeconds: query.stale_lookahead_s,
    }),
});

/** Repeated parameters, or a list with commas. */
const readChecks = (given: readonly string[]): readonly Check[] =>
  given
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const check = CHECKS.find((known) => known === name);
      if (check !== undefined) return check;
      const problem = `must name only checks that there are: ${CHECKS.join(', ')}`;
      throw memberRefusal('query.checks', problem, 'validation', { status: 400 });
    });

const reply = async (lint: Lint, caller: Principal, question: LintQuestion): Promise<Reply> => {
  const found = await lint.check(caller, question);
  if ('jobId' in found) return { status: 202, body: acceptedJobJson(found.jobId, found.estimatedSeconds) };
  const findings = await spellList(found.findings, findingJson);
  const isTruncated = found.isTruncated || findings.isCut;
  return { status: 200, body: { findings, ...lintMembers(question, found.checks, { ...found, isTruncated }) } };
};
