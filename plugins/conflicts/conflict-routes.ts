import {
  type CursorParts,
  FACT_VALUE_JSON,
  objectSchema,
  type PageQuery,
  pageMembers,
  SENT_VALUE,
} from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  bindCursor,
  CURSOR_JSON,
  type CursorPosition,
  component,
  listOf,
  objectOf,
  orNull,
  type Route,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { ATTESTATION_JSON, type AttestationJson } from '../attestation/attestation-api.ts';
import type { ReadSession } from '../facts/facts-api.ts';
import { CONFLICT, type ConflictJson } from './conflict-json.ts';
import type { ConflictPosition, ConflictStatus, Conflicts } from './conflicts-api.ts';
import { MAX_CONFLICTS } from './create-conflicts.ts';

export interface ConflictRouteParts extends CursorParts {
  readonly conflicts: Conflicts;
  readonly conflictJson: ConflictJson;
  readonly readSession: ReadSession;
}

const DEFAULT_CONFLICTS = 50;
/** The least cost: that of a default page, because the store sorts all open records. */
const LEAST_COST = DEFAULT_CONFLICTS;

interface Query extends PageQuery {
  readonly status: ConflictStatus;
}

export const listConflictsRoute = (parts: ConflictRouteParts): Route<undefined, Query> => {
  return {
    method: 'GET',
    path: '/v1/conflicts',
    summary: 'Contradictions that the caller can see, newest first',
    access: { permission: 'read' },
    cost: ({ query }) => Math.max(LEAST_COST, query.limit),
    query: objectSchema<Query>({
      status: { type: 'string', enum: ['unresolved', 'resolved', 'all'], default: 'unresolved' },
      ...pageMembers(DEFAULT_CONFLICTS, MAX_CONFLICTS),
    }),
    answers: {
      200: { json: objectOf({ conflicts: listOf(component(CONFLICT)), cursor: CURSOR_JSON, has_more: BOOLEAN_JSON }) },
    },
    example: { query: { status: 'unresolved', limit: 20 } },
    async handle(request) {
      const { status, limit, cursor: sent } = request.query;
      const bound = bindCursor(request, sent, status, parts);
      const after = bound.position && positionOf(bound.position);
      const { found, more } = await parts.conflicts.list(request.caller, { status, after, limit });
      const { list, cursor } = await bound.page(found, limit, {
        positionOf: ({ record }) => [record.detectedMs, record.id],
        toJson: parts.conflictJson,
        more,
      });
      return { status: 200, body: { conflicts: list, cursor, has_more: cursor !== null } };
    },
  };
};

const positionOf = ([detectedMs, id]: CursorPosition): ConflictPosition => ({
  detectedMs: Number(detectedMs),
  id: String(id),
});

interface Body {
  readonly winning_fact_id?: string | null;
  readonly resolution_note: string;
  readonly new_value?: unknown;
  readonly attestation?: AttestationJson | null;
}

const MEMBERS = {
  winning_fact_id: { type: ['string', 'null'] },
  resolution_note: { type: 'string', default: '' },
  attestation: ATTESTATION_JSON,
} as const;

export const resolveConflictRoute = ({
  conflicts,
  readSession,
}: ConflictRouteParts): Route<{ id: string }, undefined, Body> => ({
  method: 'POST',
  path: '/v1/conflicts/*id/resolve',
  summary: 'Settle a contradiction with a winning fact or a new value',
  access: { permission: 'write' },
  dimension: 'fact_write',
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  body: objectSchema<Body>({ ...MEMBERS, new_value: FACT_VALUE_JSON }),
  bodyShown: { type: 'object', properties: { ...MEMBERS, new_value: orNull(component(SENT_VALUE)) } },
  headers: readSession.headers,
  answers: {
    200: {
      json: objectOf({ resolution_fact_id: STRING_JSON, conflict_status: { type: 'string', const: 'resolved' } }),
    },
  },
  example: {
    params: { id: 'svc:conflict:7d1f3c52-0a9e-4b68-8c27-5e9f6a0b1c34' },
    body: {
      winning_fact_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
      resolution_note: 'The release notes of May say so.',
    },
  },
  async handle(request) {
    const { caller, params, body } = request;
    const { fact } = await conflicts.resolve(caller, params.id, {
      winningFactId: body.winning_fact_id,
      newValue: body.new_value,
      note: body.resolution_note,
      attestation: body.attestation,
      sessionId: readSession(request),
    });
    return { status: 200, body: { resolution_fact_id: fact.id, conflict_status: 'resolved' } };
  },
});
