import {
  effectiveConfidence,
  type FactReader,
  type FactView,
  isIn,
  matchKey,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { EdgeQuery, EdgeRow, EdgeStore } from './edge-store.ts';
import { type GraphWalk, MAX_WALKED_EDGES, type Neighbor } from './graph-api.ts';
import { relationPattern } from './relation-pattern.ts';

export interface WalkParts {
  readonly edges: EdgeStore;
  readonly names: ServiceNames;
}

/** Entities whose edges are asked for at once. */
const KEYS_PER_QUERY = 2_000;
/** Edges that are read at once, which sorts all there are; and facts, of which many at once take longer than in turn. */
const EDGES_PER_PAGE = 10_000;
const FACTS_PER_QUERY = 1_000;

/** Where a step begins: entities reached by the step before, as their edges spell them. */
type Frontier = ReadonlyMap<string, Pick<Neighbor, 'entity' | 'path'>>;

type Reached = ReadonlySet<string>;

/** A live edge that the caller may see. */
interface Edge {
  readonly view: FactView;
  readonly objectKey: string;
  readonly confidence: number;
}

/**
 * Breadth first over live edges that the caller may see, in both directions. What is cut off at the bound, too, depends on such edges alone, so
 * that nothing hidden can be told from an answer. See `EntityGraph.neighbors`.
 */
export const walkGraph = async (parts: WalkParts, reader: FactReader, walk: GraphWalk): Promise<Neighbor[]> => {
  const keyed = walk.seeds.map((seed) => [matchKey(seed, parts.names), seed] as const);
  // Of two spellings of one seed the first stands.
  let frontier: Frontier = new Map(keyed.reverse().map(([key, seed]) => [key, { entity: seed, path: [] }]));
  const seedKeys = [...frontier.keys()];
  const reached = new Set(walk.amongSeeds === true ? [] : seedKeys);
  const walked = new Walked(walk.maxEdges ?? MAX_WALKED_EDGES);
  const neighbors: Neighbor[] = [];
  for (let hops = 1; hops <= walk.depth && frontier.size > 0; hops += 1) {
    const best = new Map<string, Neighbor>();
    // From the second step on, what leads back to a seed leads nowhere new: all edges of a hub, when it is the seed.
    const ends = { keys: [...frontier.keys()], except: hops === 1 ? [] : seedKeys };
    for await (const page of liveEdges(parts, reader, walk, ends, walked)) {
      for (const edge of page) keepBest(edge, hops, frontier, reached, best);
    }
    const step = [...best.values()].sort(compareNeighbors);
    for (const entityKey of [...seedKeys, ...best.keys()]) reached.add(entityKey);
    neighbors.push(...step);
    frontier = new Map(step.map((neighbor) => [neighbor.entityKey, neighbor]));
  }
  return neighbors;
};

/** The order of an answer (wire contract 1.10). */
export const compareNeighbors = (
  a: Pick<Neighbor, 'hops' | 'confidence' | 'entity' | 'relation'>,
  b: Pick<Neighbor, 'hops' | 'confidence' | 'entity' | 'relation'>,
): number =>
  a.hops - b.hops ||
  b.confidence - a.confidence ||
  compareText(a.entity, b.entity) ||
  compareText(a.relation, b.relation);

/** Which of two last edges to the same entity counts. */
const compareEdges = (a: Neighbor, b: Neighbor): number =>
  compareNeighbors(a, b) || compareText(a.viaKey, b.viaKey) || compareText(a.factId, b.factId);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Remembers which edges were looked at: an edge leads nowhere new a second time, because both its ends are reached by then. */
class Walked {
  readonly #seen = new Set<string>();
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  get full(): boolean {
    return this.#left <= 0;
  }

  isNew(factId: string): boolean {
    return !this.#seen.has(factId);
  }

  /** Counts edges, and answers those that come before the bound. */
  take(edges: readonly Edge[]): readonly Edge[] {
    const taken = edges.slice(0, this.#left);
    for (const { view } of taken) this.#seen.add(view.fact.id);
    this.#left -= taken.length;
    return taken;
  }
}

/** Enters the ends of an edge that it leads to from the frontier. */
const keepBest = (
  edge: Edge,
  hops: number,
  frontier: Frontier,
  reached: Reached,
  best: Map<string, Neighbor>,
): void => {
  const { fact, sourceTrust } = edge.view;
  const enter = (viaKey: string, entityKey: string, entity: string): void => {
    const via = frontier.get(viaKey);
    if (via === undefined || reached.has(entityKey) || entityKey === viaKey) return;
    const found: Neighbor = {
      entity,
      entityKey,
      relation: fact.relation,
      hops,
      confidence: edge.confidence,
      sourceTrust: sourceTrust ?? null,
      factId: fact.id,
      path: [...via.path, via.entity],
      viaKey,
    };
    const known = best.get(entityKey);
    if (known === undefined || compareEdges(found, known) < 0) best.set(entityKey, found);
  };
  enter(fact.entityKey, edge.objectKey, String(fact.value.v));
  enter(edge.objectKey, fact.entityKey, fact.entity);
};

async function* liveEdges(
  { edges, names }: WalkParts,
  reader: FactReader,
  walk: GraphWalk,
  { keys, except }: Pick<EdgeQuery, 'keys' | 'except'>,
  walked: Walked,
): AsyncGenerator<readonly Edge[]> {
  const { allowedScopes, tenantId } = reader.caller;
  const base = {
    tenantId,
    except,
    scopes: (walk.scopes ?? [...allowedScopes]).filter((scope) => allowedScopes.has(scope)),
    gardens: gardensOf(reader, walk.garden),
    outside: walk.garden === undefined,
    relation: walk.relation === undefined ? undefined : relationPattern(walk.relation, names),
    // Trust only lowers a confidence, so whatever passes by effective confidence passes here.
    minConfidence: walk.minConfidence,
  };
  for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
    for (const end of ['subject', 'object'] as const) {
      const query: EdgeQuery = { ...base, end, keys: keys.slice(from, from + KEYS_PER_QUERY) };
      let last: EdgeRow | undefined;
      do {
        if (walked.full) return;
        const rows = await edges.page(query, last, EDGES_PER_PAGE, reader.snapshot);
        const unseen = rows.filter(({ factId }) => walked.isNew(factId));
        for (let at = 0; at < unseen.length && !walked.full; at += FACTS_PER_QUERY) {
          yield walked.take(await judge(unseen.slice(at, at + FACTS_PER_QUERY), reader, walk.minConfidence));
        }
        last = rows.length < EDGES_PER_PAGE ? undefined : rows.at(-1);
      } while (last !== undefined);
    }
  }
}

const gardensOf = (reader: FactReader, only: string | undefined): 'all' | readonly string[] => {
  if (only === undefined) return reader.gardens;
  return reader.gardens === 'all' || reader.gardens.includes(only) ? [only] : [];
};

/** The edges among the rows whose facts are live for the caller, in the order of the rows. */
const judge = async (rows: readonly EdgeRow[], reader: FactReader, minConfidence: number): Promise<Edge[]> => {
  const ids = rows.map(({ factId }) => factId);
  const facts = await reader.find(isIn('id', ids), { view: 'live', order: 'hlc', limit: ids.length });
  const views = new Map((await reader.annotate(facts)).map((view) => [view.fact.id, view]));
  const edges: Edge[] = [];
  for (const { factId, objectKey } of rows) {
    const view = views.get(factId);
    if (view === undefined) continue;
    const confidence = effectiveConfidence(view.fact.confidence, view.sourceTrust);
    if (confidence >= minConfidence) edges.push({ view, objectKey, confidence });
  }
  return edges;
};
