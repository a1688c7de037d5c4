import { objectRequiring, objectSchema, refuseAll, TRUNCATED_JSON } from '../../kernel/internal-api.ts';
import { COUNT_JSON, listOf, type NodeSelf, objectOf, type Route, spellList } from '../../kernel/plugin-api.ts';
import { ATTESTATION_JSON, type AttestationJson } from '../attestation/attestation-api.ts';
import type { ReadSession } from '../facts/facts-api.ts';
import { readPathText } from './garden-name.ts';
import { COST_OF_ALL, type GardenPath, gardenPath } from './garden-routes.ts';
import type { Promotion, Quarantine } from './gardens-api.ts';
import {
  HELD_FACT_JSON,
  heldFactJson,
  PROMOTED_JSON,
  promotedJson,
  REJECTED_JSON,
  rejectedJson,
} from './quarantine-json.ts';
import { QUARANTINE_STATUSES, type QuarantineStatus } from './quarantine-row.ts';
import { MAX_OFFSET, MAX_PAGE } from './quarantine-service.ts';
import { MAX_TEXT_LENGTH } from './read-garden-draft.ts';

export interface QuarantineRouteParts {
  readonly quarantine: Quarantine;
  readonly self: NodeSelf;
  readonly readSession: ReadSession;
}

interface FactBody {
  readonly fact_id: string;
  readonly reason?: string;
}

interface TargetBody {
  readonly target_garden_id?: string;
  readonly reason?: string;
  /** The moderator's signature over the fact as its author asserted it. */
  readonly attestation?: AttestationJson | null;
}

const REASON = { reason: { type: 'string', maxLength: MAX_TEXT_LENGTH } } as const;
const FACT_ID = { fact_id: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH } } as const;
const TARGET = { target_garden_id: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH } } as const;
const SIGNED = { attestation: ATTESTATION_JSON } as const;
const ACCESS = { permission: 'write' } as const;

/** `POST /v1/gardens/{…}/promote` copies a quarantined fact to its target garden. */
export const promoteRoute = ({
  quarantine,
  self,
  readSession,
}: QuarantineRouteParts): Route<GardenPath, undefined, FactBody & TargetBody> => ({
  method: 'POST',
  path: '/v1/gardens/*garden/promote',
  summary: 'Let a pending fact out of quarantine, into a garden or outside gardens',
  access: ACCESS,
  params: gardenPath,
  body: objectRequiring<FactBody & TargetBody>(['fact_id'], { ...FACT_ID, ...TARGET, ...SIGNED, ...REASON }),
  headers: readSession.headers,
  answers: { 200: { json: PROMOTED_JSON } },
  example: {
    params: { garden: 'atlas-inbox' },
    body: {
      fact_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
      target_garden_id: 'atlas-team',
      reason: 'Checked with Alice.',
    },
  },
  async handle(request) {
    const { caller, params, body } = request;
    const garden = readPathText(params.garden, 'garden');
    const promotion = { ...promotionOf(body.fact_id, body), garden, sessionId: readSession(request) };
    return { status: 200, body: promotedJson(await quarantine.promote(caller, promotion), self) };
  },
});

/** `POST /v1/gardens/{…}/reject` ends a quarantined fact. */
export const rejectRoute = ({ quarantine }: QuarantineRouteParts): Route<GardenPath, undefined, FactBody> => ({
  method: 'POST',
  path: '/v1/gardens/*garden/reject',
  summary: 'Refuse a pending fact for good',
  access: ACCESS,
  params: gardenPath,
  body: objectRequiring<FactBody>(['fact_id'], { ...FACT_ID, ...REASON }),
  answers: { 200: { json: REJECTED_JSON } },
  example: {
    params: { garden: 'atlas-inbox' },
    body: { fact_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', reason: 'The source is a draft.' },
  },
  async handle({ caller, params, body: { fact_id: factId, reason = null } }) {
    const verdict = { factId, reason, garden: readPathText(params.garden, 'garden') };
    return { status: 200, body: rejectedJson(await quarantine.reject(caller, verdict)) };
  },
});

interface FactPath {
  readonly fact_id: string;
}

/** The members that clients may send in the query instead of the body. */
type Arguments = Pick<TargetBody, 'target_garden_id' | 'reason'>;

/** Reads each member from the body, or otherwise from the query. If both contain it, they must be equal. */
const eitherOf = (body: Arguments, query: Arguments): Arguments => {
  const twice = (['target_garden_id', 'reason'] as const)
    .filter((name) => body[name] !== undefined && query[name] !== undefined && body[name] !== query[name])
    .map((name) => ({ path: `body.${name}`, message: 'must be the same as in the query, or be given once' }));
  if (twice.length > 0) throw refuseAll(twice);
  const target = body.target_garden_id ?? query.target_garden_id;
  const reason = body.reason ?? query.reason;
  return { ...(target !== undefined && { target_garden_id: target }), ...(reason !== undefined && { reason }) };
};

const factPath = objectRequiring<FactPath>(['fact_id'], { fact_id: { type: 'string' } });

/** `POST /v1/quarantine/{fact_id}/admit` promotes a fact without naming its garden. */
export const admitHeldRoute = ({
  quarantine,
  self,
  readSession,
}: QuarantineRouteParts): Route<FactPath, Arguments, TargetBody> => ({
  method: 'POST',
  path: '/v1/quarantine/:fact_id/admit',
  summary: 'Let a pending fact out of whatever quarantine garden it is in',
  access: ACCESS,
  params: factPath,
  query: objectSchema<Arguments>({ ...TARGET, ...REASON }),
  body: objectSchema<TargetBody>({ ...TARGET, ...SIGNED, ...REASON }),
  bodyOptional: true,
  headers: readSession.headers,
  answers: { 200: { json: PROMOTED_JSON } },
  example: {
    params: { fact_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' },
    body: { target_garden_id: 'atlas-team', reason: 'Checked with Alice.' },
  },
  async handle(request) {
    const { caller, params, query, body } = request;
    const asked = { ...body, ...eitherOf(body, query) };
    const promotion = promotionOf(readPathText(params.fact_id, 'fact_id'), asked);
    const decision = await quarantine.promote(caller, { ...promotion, sessionId: readSession(request) });
    return { status: 200, body: promotedJson(decision, self) };
  },
});

/** `POST /v1/quarantine/{fact_id}/reject` ends a quarantined fact without naming its garden. */
export const rejectHeldRoute = ({
  quarantine,
}: QuarantineRouteParts): Route<FactPath, Pick<TargetBody, 'reason'>, Pick<TargetBody, 'reason'>> => ({
  method: 'POST',
  path: '/v1/quarantine/:fact_id/reject',
  summary: 'Refuse a pending fact of whatever quarantine garden it is in',
  access: ACCESS,
  params: factPath,
  query: objectSchema<Pick<TargetBody, 'reason'>>(REASON),
  body: objectSchema<Pick<TargetBody, 'reason'>>(REASON),
  bodyOptional: true,
  answers: { 200: { json: REJECTED_JSON } },
  example: { params: { fact_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' }, body: { reason: 'The source is a draft.' } },
  async handle({ caller, params, query, body }) {
    const verdict = { factId: readPathText(params.fact_id, 'fact_id'), ...eitherOf(body, query) };
    return { status: 200, body: rejectedJson(await quarantine.reject(caller, verdict)) };
  },
});

interface ListQuery {
  readonly garden_id?: string;
  readonly quarantine_status?: QuarantineStatus;
  readonly limit: number;
  readonly offset: number;
}

/** `GET /v1/quarantine` returns facts only of gardens that the caller moderates. */
export const listQuarantineRoute = ({ quarantine, self }: QuarantineRouteParts): Route<undefined, ListQuery> => ({
  method: 'GET',
  path: '/v1/quarantine',
  summary: 'Facts in quarantine, newest first',
  access: { permission: 'read' },
  // `total` counts all of them, in all gardens that the caller moderates.
  cost: ({ query }) => Math.max(COST_OF_ALL, query.limit),
  query: objectSchema<ListQuery>({
    garden_id: { type: 'string' },
    quarantine_status: { type: 'string', enum: QUARANTINE_STATUSES },
    limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 100 },
    offset: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  }),
  answers: {
    200: {
      json: objectOf(
        { items: listOf(HELD_FACT_JSON), total: COUNT_JSON, truncated: TRUNCATED_JSON },
        { optional: ['truncated'] },
      ),
    },
  },
  example: { query: { garden_id: 'atlas-inbox', quarantine_status: 'pending', limit: 20 } },
  async handle({ caller, query }) {
    const { limit, offset } = query;
    const search = { garden: query.garden_id, status: query.quarantine_status, limit, offset };
    const { held, total, truncated } = await quarantine.list(caller, search);
    const items = await spellList(held, (fact) => heldFactJson(fact, self));
    return { status: 200, body: { items, total, ...((truncated || items.isCut) && { truncated: true }) } };
  },
});

const promotionOf = (factId: string, { target_garden_id: target, reason, attestation }: TargetBody): Promotion => ({
  factId,
  target: target ?? null,
  reason: reason ?? null,
  attestation: attestation ?? null,
});
