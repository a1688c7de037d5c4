import {
  type Facts,
  type NodeSelf,
  type PluginTables,
  type ReadSession,
  type Reply,
  type Route,
  refuseAll,
  schema,
} from '../../kernel/plugin-api.ts';
import { ATTESTATION_JSON, type AttestationJson } from '../keys/keys-api.ts';
import { readPathText } from './garden-name.ts';
import { type GardenPath, gardenPath, MAX_TEXT_LENGTH } from './garden-routes.ts';
import { listQuarantined } from './list-quarantined.ts';
import { QUARANTINE_STATUSES, type QuarantineStatus } from './quarantine-row.ts';
import type { Decision, PromotionContext, QuarantineService } from './quarantine-service.ts';

export interface QuarantineRouteParts {
  readonly quarantine: QuarantineService;
  readonly facts: Facts;
  readonly tables: PluginTables;
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
  /** The moderator's, over the fact as its author said it. */
  readonly attestation?: AttestationJson | null;
}

const REASON = { reason: { type: 'string', maxLength: MAX_TEXT_LENGTH } } as const;
const FACT_ID = { fact_id: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH } } as const;
const TARGET = { target_garden_id: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH } } as const;
const SIGNED = { attestation: ATTESTATION_JSON } as const;
const ACCESS = { permission: 'write' } as const;

/** POST /v1/gardens/{…}/promote (wire contract 10) */
export const promoteRoute = (parts: QuarantineRouteParts): Route<GardenPath, undefined, FactBody & TargetBody> => ({
  method: 'POST',
  path: '/v1/gardens/*garden/promote',
  summary: 'Let a pending fact out of quarantine, into a garden or outside gardens',
  access: ACCESS,
  params: gardenPath,
  body: schema<FactBody & TargetBody>({
    type: 'object',
    required: ['fact_id'],
    properties: { ...FACT_ID, ...TARGET, ...SIGNED, ...REASON },
  }),
  async handle(request) {
    const { caller, params, body } = request;
    const garden = readPathText(params.garden, 'garden');
    const context = contextOf(body, parts.readSession(request));
    return promoted(await parts.quarantine.promote(garden, verdictOf(body.fact_id, body), context, caller), parts.self);
  },
});

/** POST /v1/gardens/{…}/reject */
export const rejectRoute = ({ quarantine }: QuarantineRouteParts): Route<GardenPath, undefined, FactBody> => ({
  method: 'POST',
  path: '/v1/gardens/*garden/reject',
  summary: 'Refuse a pending fact for good',
  access: ACCESS,
  params: gardenPath,
  body: schema<FactBody>({ type: 'object', required: ['fact_id'], properties: { ...FACT_ID, ...REASON } }),
  handle: async ({ caller, params, body }) =>
    rejected(await quarantine.reject(readPathText(params.garden, 'garden'), verdictOf(body.fact_id, body), caller)),
});

interface FactPath {
  readonly fact_id: string;
}

/** What may stand in the address as well. */
type Arguments = Pick<TargetBody, 'target_garden_id' | 'reason'>;

/**
 * What the body says, or the query where the body is silent; they must not contradict each other (wire contract 10).
 */
const eitherOf = (body: Arguments, query: Arguments): Arguments => {
  const twice = (['target_garden_id', 'reason'] as const)
    .filter((name) => body[name] !== undefined && query[name] !== undefined && body[name] !== query[name])
    .map((name) => ({ path: `body.${name}`, message: 'must be the same as in the query, or be given once' }));
  if (twice.length > 0) throw refuseAll(twice);
  const target = body.target_garden_id ?? query.target_garden_id;
  const reason = body.reason ?? query.reason;
  return { ...(target !== undefined && { target_garden_id: target }), ...(reason !== undefined && { reason }) };
};

const factPath = schema<FactPath>({
  type: 'object',
  properties: { fact_id: { type: 'string' } },
  required: ['fact_id'],
});

/** POST /v1/quarantine/{fact_id}/admit: the same by the fact alone. */
export const admitHeldRoute = (parts: QuarantineRouteParts): Route<FactPath, Arguments, TargetBody> => ({
  method: 'POST',
  path: '/v1/quarantine/:fact_id/admit',
  summary: 'Let a pending fact out of whatever quarantine garden it is in',
  access: ACCESS,
  params: factPath,
  query: schema<Arguments>({ type: 'object', properties: { ...TARGET, ...REASON } }),
  body: schema<TargetBody>({ type: 'object', properties: { ...TARGET, ...SIGNED, ...REASON } }),
  bodyOptional: true,
  async handle(request) {
    const { caller, params, query, body } = request;
    const asked = { ...body, ...eitherOf(body, query) };
    const verdict = verdictOf(readPathText(params.fact_id, 'fact_id'), asked);
    const context = contextOf(asked, parts.readSession(request));
    return promoted(await parts.quarantine.promote(null, verdict, context, caller), parts.self);
  },
});

/** POST /v1/quarantine/{fact_id}/reject */
export const rejectHeldRoute = ({
  quarantine,
}: QuarantineRouteParts): Route<FactPath, Pick<TargetBody, 'reason'>, Pick<TargetBody, 'reason'>> => ({
  method: 'POST',
  path: '/v1/quarantine/:fact_id/reject',
  summary: 'Refuse a pending fact of whatever quarantine garden it is in',
  access: ACCESS,
  params: factPath,
  query: schema<Pick<TargetBody, 'reason'>>({ type: 'object', properties: REASON }),
  body: schema<Pick<TargetBody, 'reason'>>({ type: 'object', properties: REASON }),
  bodyOptional: true,
  handle: async ({ caller, params, query, body }) => {
    const verdict = verdictOf(readPathText(params.fact_id, 'fact_id'), eitherOf(body, query));
    return rejected(await quarantine.reject(null, verdict, caller));
  },
});

interface ListQuery {
  readonly garden_id?: string;
  readonly quarantine_status?: QuarantineStatus;
  readonly limit: number;
  readonly offset: number;
}

/** GET /v1/quarantine: those gardens alone that the caller moderates. */
export const listQuarantineRoute = ({ facts, tables, self }: QuarantineRouteParts): Route<undefined, ListQuery> => ({
  method: 'GET',
  path: '/v1/quarantine',
  summary: 'Facts in quarantine, newest first',
  access: { permission: 'read' },
  query: schema<ListQuery>({
    type: 'object',
    properties: {
      garden_id: { type: 'string' },
      quarantine_status: { type: 'string', enum: QUARANTINE_STATUSES },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
    },
  }),
  async handle({ caller, query }) {
    const { limit, offset } = query;
    const search = { garden: query.garden_id, status: query.quarantine_status, limit, offset };
    const body = await facts.read(caller, 'query', (reader) => listQuarantined(search, reader, { tables, self }));
    return { status: 200, body };
  },
});

const verdictOf = (factId: string, { reason }: Pick<TargetBody, 'reason'>) => ({ factId, reason: reason ?? null });

const contextOf = (body: TargetBody, sessionId: string | null): PromotionContext => ({
  target: body.target_garden_id ?? null,
  attestation: body.attestation ?? null,
  sessionId,
});

const promoted = ({ factId, targetGarden, actedBy, actedAt }: Decision, { names, authority }: NodeSelf): Reply => ({
  status: 200,
  body: {
    fact_id: factId,
    action: 'promoted',
    target_garden_id: targetGarden === null ? null : names.gardenUri(authority, targetGarden.slug),
    acted_by: actedBy,
    acted_at: actedAt,
  },
});

const rejected = ({ factId, actedBy, actedAt }: Decision): Reply => ({
  status: 200,
  body: { fact_id: factId, action: 'rejected', acted_by: actedBy, acted_at: actedAt },
});
