import {
  type Facts,
  LIST_BYTES,
  type Principal,
  type Route,
  SCOPES,
  ServiceError,
  type StoredFact,
  schema,
  spellList,
} from '../../kernel/plugin-api.ts';
import { type FactPath, factPath, noSuchFact, readFactId } from './fact-reference.ts';
import {
  type DerivationEdge,
  type DerivationNode,
  type Derivations,
  MAX_LEVELS,
  walkDerivations,
} from './walk-derivations.ts';

interface ProvenanceQuery {
  readonly depth: number;
}

/**
 * GET /v1/facts/{id}/provenance (wire contract 4.9): everything the fact was derived from, as far as the caller may see
 * it.
 */
export const provenanceRoute = ({ facts }: { readonly facts: Facts }): Route<FactPath, ProvenanceQuery> => ({
  method: 'GET',
  path: '/v1/facts/:id/provenance',
  summary: 'What a fact was derived from',
  access: { permission: 'read' },
  dimension: 'fact_read',
  params: factPath,
  query: schema<ProvenanceQuery>({
    type: 'object',
    properties: { depth: { type: 'integer', minimum: 1, maximum: MAX_LEVELS, default: MAX_LEVELS } },
  }),
  async handle({ caller, params, query }) {
    const id = readFactId(params.id);
    const body = await facts.read(caller, 'provenance', async (reader) => {
      const root = await reader.get(id);
      if (root === undefined) throw hiddenRoot(caller);
      return provenanceJson(root.fact, await walkDerivations(reader, root.fact, query.depth), query.depth);
    });
    return { status: 200, body };
  },
});

/**
 * One answer for an unknown root and a hidden one (reliability.md, D1); 404 tells something only where nothing can be
 * hidden.
 */
const hiddenRoot = (caller: Principal): ServiceError => {
  const seesEverything = caller.permissions.has('admin') && SCOPES.every((scope) => caller.allowedScopes.has(scope));
  if (seesEverything) return noSuchFact();
  return new ServiceError('authorization', 'the fact does not exist or is not readable with this key');
};

const provenanceJson = (root: StoredFact, walk: Derivations, depth: number): Record<string, unknown> => {
  const direct = spellList(walk.direct, nodeJson);
  const edges = spellList(walk.edges, edgeJson, LIST_BYTES - direct.bytes);
  const nodes = spellList(walk.nodes, nodeJson, LIST_BYTES - direct.bytes - edges.bytes);
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

/** A hidden reference has the two members of an absent one, byte for byte. */
const nodeJson = ({ hash, fact }: DerivationNode): Record<string, unknown> =>
  fact === undefined ? { hash, exists: false } : { hash, fact_id: fact.id, entity: fact.entity, exists: true };
