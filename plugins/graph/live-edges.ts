import { type FactReader, type FactView, isIn, markOf, type ServiceNames } from '../../kernel/plugin-api.ts';
import { unfitFor } from '../facts/facts-api.ts';
import { effectiveConfidence, SOURCE_TRUST } from '../source-trust/source-trust-api.ts';
import type { EdgeQuery, EdgeRow } from './edge-pages.ts';
import type { EdgeStore } from './edge-store.ts';
import type { GraphWalk, Neighbor } from './graph-api.ts';
import { relationPattern } from './relation-pattern.ts';
import type { RetireEdges } from './retire-edges.ts';

export interface WalkParts {
  readonly edges: EdgeStore;
  readonly names: ServiceNames;
  /** Receives edges that a walk has read and whose facts are not live for its reader. */
  readonly retire: Pick<RetireEdges, 'suspect'>;
}

/** A live edge that the caller may see. */
export interface Edge {
  readonly row: EdgeRow;
  readonly view: FactView;
  /** The effective confidence. */
  readonly confidence: number;
}

/** The entities that the previous step reached, in the spelling of their edges. */
export type Frontier = ReadonlyMap<string, Pick<Neighbor, 'entity' | 'path'>>;

/** Returns the seeds by match key. If a seed occurs in two spellings, the first one is used. */
export const seedsOf = (keyed: readonly (readonly [key: string, seed: string])[]): Frontier =>
  new Map([...keyed].reverse().map(([key, seed]) => [key, { entity: seed, path: [] }]));

/** Builds the part of an edge query that is the same at every entity of a walk. */
export const edgesWanted = (
  { names }: WalkParts,
  reader: FactReader,
  walk: GraphWalk,
): Omit<EdgeQuery, 'end' | 'keys' | 'except'> => {
  const { allowedScopes, tenantId } = reader.caller;
  return {
    tenantId,
    scopes: (walk.scopes ?? [...allowedScopes]).filter((scope) => allowedScopes.has(scope)),
    gardens: gardensOf(reader, walk.garden),
    outside: walk.garden === undefined,
    relation: walk.relation === undefined ? undefined : relationPattern(walk.relation, names),
    // Trust only lowers a confidence, so this filter never drops an edge whose effective confidence suffices.
    minConfidence: walk.minConfidence,
    asOf: reader.asOf,
  };
};

const gardensOf = (reader: FactReader, only: string | undefined): 'all' | readonly string[] => {
  if (only === undefined) return reader.gardens;
  return reader.gardens === 'all' || reader.gardens.includes(only) ? [only] : [];
};

/** Returns the edges whose facts are live for the caller, in the order of the rows. */
export const judgeEdges = async (
  { retire }: Pick<WalkParts, 'retire'>,
  rows: readonly EdgeRow[],
  reader: FactReader,
  { minConfidence, narrowed }: Pick<GraphWalk, 'minConfidence' | 'narrowed'>,
): Promise<Edge[]> => {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ factId }) => factId))];
  const facts = await reader.find(isIn('id', ids), { view: 'live', order: 'any', limit: ids.length, mayCache: true });
  // An edge that was not live at an earlier moment may be live now, so only reads of the present report edges.
  if (facts.length < ids.length && reader.asOf === undefined) {
    const live = new Set(facts.map(({ id }) => id));
    retire.suspect(
      reader.caller.tenantId,
      ids.filter((id) => !live.has(id)),
    );
  }
  const views = new Map((await reader.annotate(facts)).map((view) => [view.fact.id, view]));
  return rows.flatMap((row): Edge[] => {
    const view = views.get(row.factId);
    if (view === undefined || (narrowed !== undefined && unfitFor(view.fact, narrowed) !== undefined)) return [];
    const confidence = effectiveConfidence(view);
    return confidence >= minConfidence ? [{ row, view, confidence }] : [];
  });
};

/** Returns the neighbour at the far end of an edge that begins at an entity of the frontier. */
export const neighborAt = (
  { view, confidence }: Edge,
  { viaKey, entityKey, entity }: Pick<Neighbor, 'viaKey' | 'entityKey' | 'entity'>,
  hops: number,
  frontier: Frontier,
): Neighbor | undefined => {
  const via = frontier.get(viaKey);
  if (via === undefined || entityKey === viaKey) return undefined;
  return {
    entity,
    entityKey,
    relation: view.fact.relation,
    relationKey: view.fact.relationKey,
    hops,
    confidence,
    sourceTrust: markOf(view, SOURCE_TRUST) ?? null,
    factId: view.fact.id,
    path: [...via.path, via.entity],
    viaKey,
  };
};
