import { FACT_PART, FIELDS_TEXT, LIST_BYTES, objectSchema } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  component,
  FACT,
  type FactFields,
  type FactJson,
  listOf,
  objectOf,
  orNull,
  type Route,
  STRING_JSON,
  spellList,
} from '../../kernel/plugin-api.ts';
import { type FactPath, factPath } from './fact-reference.ts';
import type { DerivationEdge, DerivationNode, Provenance, Queries, ReadParameter } from './facts-api.ts';
import { claimedParameters } from './read-parameters.ts';
import type { ReadSession } from './read-session.ts';
import { MAX_LEVELS, MAX_NODES } from './walk-derivations.ts';

export interface FactRouteParts {
  readonly queries: Queries;
  readonly factJson: FactJson;
  readonly fields: FactFields;
  readonly readSession: ReadSession;
  readonly parameters: readonly ReadParameter[];
}

interface FactQuery {
  readonly fields?: string;
}

/**
 * `GET /v1/facts/{id | sha256:<hex>}` returns a fact in any state. For a content id, it returns the newest visible
 * fact.
 */
export const getFactRoute = (parts: FactRouteParts): Route<FactPath, FactQuery> => {
  const { queries, factJson, fields, readSession } = parts;
  const claimed = claimedParameters(ofNamedFacts(parts.parameters));
  return {
    method: 'GET',
    path: '/v1/facts/:id',
    summary: 'One fact, by id or content id',
    access: { permission: 'read' },
    dimension: 'fact_read',
    params: factPath,
    query: objectSchema<FactQuery>({ fields: FIELDS_TEXT, ...claimed.properties }),
    headers: readSession.headers,
    answers: { 200: { json: component(FACT), part: component(FACT_PART) } },
    example: { params: { id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' } },
    async handle(request) {
      const { caller, params, query } = request;
      const options = { sessionId: readSession(request), notes: claimed.notesOf(query) };
      const toJson = fields.read(query.fields, 'query') ?? factJson;
      return { status: 200, body: toJson(await queries.get(caller, params.id, options)) };
    },
  };
};

const ofNamedFacts = (parameters: readonly ReadParameter[]): readonly ReadParameter[] =>
  parameters.filter(({ listsOnly }) => listsOnly !== true);

interface ProvenanceQuery {
  readonly depth: number;
}

const NODE_JSON = objectOf(
  { hash: STRING_JSON, fact_id: STRING_JSON, entity: STRING_JSON, exists: BOOLEAN_JSON },
  { optional: ['fact_id', 'entity'] },
);

/** `GET /v1/facts/{id}/provenance` returns the source facts of a fact that the caller may see. */
export const provenanceRoute = ({ queries, parameters }: FactRouteParts): Route<FactPath, ProvenanceQuery> => {
  const claimed = claimedParameters(ofNamedFacts(parameters));
  const depth = { type: 'integer', minimum: 1, maximum: MAX_LEVELS, default: MAX_LEVELS };
  return {
    method: 'GET',
    path: '/v1/facts/:id/provenance',
    summary: 'What a fact was derived from',
    access: { permission: 'read' },
    cost: MAX_NODES,
    dimension: 'fact_read',
    params: factPath,
    query: objectSchema<ProvenanceQuery>({ depth, ...claimed.properties }),
    answers: {
      200: {
        json: objectOf({
          fact_id: STRING_JSON,
          root_fact_id: STRING_JSON,
          cid: STRING_JSON,
          derived_from: listOf(NODE_JSON),
          nodes: listOf(NODE_JSON),
          edges: listOf(objectOf({ derived_fact_id: STRING_JSON, source_hash: STRING_JSON })),
          depth_limit: COUNT_JSON,
          truncated: BOOLEAN_JSON,
        }),
      },
    },
    example: { params: { id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' }, query: { depth: 3 } },
    async handle({ caller, params, query }) {
      const options = { depth: query.depth, notes: claimed.notesOf(query) };
      const found = await queries.provenance(caller, params.id, options);
      return { status: 200, body: await provenanceJson(found, query.depth) };
    },
  };
};

const provenanceJson = async ({ root, ...walk }: Provenance, depth: number): Promise<Record<string, unknown>> => {
  const direct = await spellList(walk.direct, nodeJson);
  const edges = await spellList(walk.edges, edgeJson, LIST_BYTES - direct.bytes);
  const nodes = await spellList(walk.nodes, nodeJson, LIST_BYTES - direct.bytes - edges.bytes);
  return {
    fact_id: root.id,
    root_fact_id: root.id,
    cid: root.cid,
    derived_from: direct,
    nodes,
    edges,
    depth_limit: depth,
    truncated: walk.truncated || direct.isCut || edges.isCut || nodes.isCut,
  };
};

const edgeJson = ({ derivedFactId, sourceHash }: DerivationEdge): Record<string, unknown> => ({
  derived_fact_id: derivedFactId,
  source_hash: sourceHash,
});

/** Returns the same two members for a hidden fact and an absent one, so that callers cannot tell them apart. */
const nodeJson = ({ hash, fact }: DerivationNode): Record<string, unknown> =>
  fact === undefined ? { hash, exists: false } : { hash, fact_id: fact.id, entity: fact.entity, exists: true };

interface VerifyBody {
  readonly cid?: string | null;
}

/**
 * `POST /v1/facts/{id}/verify-cid` compares a fact with its content id. It reports a mismatch as a result, not as an
 * error.
 */
export const verifyCidRoute = ({ queries }: FactRouteParts): Route<FactPath, undefined, VerifyBody> => ({
  method: 'POST',
  path: '/v1/facts/:id/verify-cid',
  summary: 'Check a fact against its content id',
  access: { permission: 'read' },
  dimension: 'fact_read',
  params: factPath,
  body: objectSchema<VerifyBody>({ cid: { type: ['string', 'null'] } }),
  bodyOptional: true,
  answers: {
    200: {
      json: objectOf({
        cid_valid: BOOLEAN_JSON,
        match: BOOLEAN_JSON,
        computed_cid: orNull(STRING_JSON),
        stored_cid: STRING_JSON,
        mismatch_reason: orNull({ type: 'string', enum: ['stored_cid_mismatch', 'given_cid_mismatch'] }),
      }),
    },
  },
  example: {
    params: { id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' },
    body: { cid: 'sha256:aee038c8267cdbba41b16dd2260b780032f01d41c7d95e138e2a089e9ab4a8cc' },
  },
  async handle({ caller, params, body }) {
    const { isStoredValid, isMatch, computed, stored } = await queries.verifyCid(caller, params.id, body.cid);
    const mismatch = isMatch ? null : 'given_cid_mismatch';
    return {
      status: 200,
      body: {
        cid_valid: isStoredValid,
        match: isMatch,
        computed_cid: computed,
        stored_cid: stored,
        mismatch_reason: isStoredValid ? mismatch : 'stored_cid_mismatch',
      },
    };
  },
});

/**
 * `GET /v1/admin/cid-backfill/status`. The store computes content ids on append, so the backlog is nearly always empty.
 */
export const cidBackfillStatusRoute = ({ queries }: FactRouteParts): Route => ({
  method: 'GET',
  path: '/v1/admin/cid-backfill/status',
  summary: 'How many facts still lack a content id',
  // Counts all facts of the tenant.
  cost: 250,
  access: { permission: 'admin' },
  dimension: 'admin_action',
  answers: {
    200: {
      json: objectOf({
        total_facts: COUNT_JSON,
        backfilled_facts: COUNT_JSON,
        pending_facts: COUNT_JSON,
        backfill_complete: BOOLEAN_JSON,
      }),
    },
  },
  example: {},
  async handle({ caller }) {
    const { total, pending } = await queries.countWithoutCid(caller);
    return {
      status: 200,
      body: {
        total_facts: total,
        backfilled_facts: total - pending,
        pending_facts: pending,
        backfill_complete: pending === 0,
      },
    };
  },
});
