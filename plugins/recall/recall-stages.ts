import type { Embedder, HookCaller, Logger } from '../../kernel/plugin-api.ts';
import type { Hit, SearchIndex, SearchView } from '../search/search-api.ts';
import { calibrateSimilarities, MOST_COMPARED, searchFloor } from './calibrate-similarity.ts';
import { type Admitted, type CandidatePool, ENTITY_DEPTH, type Search } from './candidate-pool.ts';
import { fuse, normaliseStages, type StageHits } from './fuse-stages.ts';
import { type RecallContext, recallExpand } from './recall-api.ts';
import type { RecallRequest } from './recall-request.ts';

export interface StageParts {
  readonly index: SearchIndex;
  /** Absent where no embedder is configured: the dense stage then finds nothing. */
  readonly embedder: Embedder | undefined;
  readonly hooks: HookCaller;
  readonly log: Logger;
}

/** What the stages found, and how far each fact is from what was asked for. */
export interface Found extends StageHits {
  /** Facts of the entity that was asked about, newest first; empty without one. */
  readonly own: readonly Hit[];
  readonly hops: ReadonlyMap<string, number>;
  /** Facts that would be candidates if nobody contradicted them, as far as the stages have weight. */
  readonly contradicted: ReadonlySet<string>;
}

/**
 * The vector of a query; undefined where none is wanted, null when there is none to be had, which costs the dense stage
 * and nothing else. Before the snapshot is opened, because a remote model takes its time.
 */
export const embedQuery = async (
  query: string,
  { embedder, log }: Pick<StageParts, 'embedder' | 'log'>,
): Promise<Float32Array | null | undefined> => {
  if (embedder === undefined || query.trim() === '') return undefined;
  try {
    const [vector] = await embedder.embed([query], 'query');
    if (vector?.length === embedder.dimensions && vector.every(Number.isFinite)) return vector;
    throw new RangeError(`the embedder did not answer one vector of ${embedder.dimensions} finite components`);
  } catch (error) {
    log.warn('a query could not be embedded; it is answered without the dense stage', { error });
    return null;
  }
};

/** Runs the three stages. Each hit was re-read as the caller. */
export const runStages = async (
  request: RecallRequest,
  vector: Float32Array | null | undefined,
  context: RecallContext,
  pool: CandidatePool,
  parts: StageParts,
): Promise<Found> => {
  const { index } = parts;
  const { view, query } = context;
  const dense = denseStage(vector, view, pool, parts);
  const [lexical = NO_HITS, similar = NO_HITS] = await pool.admit([
    query === '' ? NOTHING : (limit, contested) => index.lexical(query, { ...view, contested }, limit),
    dense.search,
  ]);
  const ofEntity: Search = (limit, contested) => index.newest({ ...view, contested }, limit);
  const [own = NO_HITS] = request.entity === undefined ? [] : await pool.admit([ofEntity], ENTITY_DEPTH);
  const semantic = await dense.calibrate(similar);
  const found = { lexical: lexical.hits, semantic: semantic.hits, own: own.hits };
  const { reached, contradicted: beside } =
    context.depth === 0 ? { reached: [], contradicted: [] } : await expand(found, request, context, pool, parts);
  const hops = new Map(reached.map(({ id, hops }) => [id, hops]));
  for (const hits of [found.lexical, found.semantic, found.own]) for (const { id } of hits) hops.set(id, 0);
  // An entity's own facts are where the graph starts: nothing is nearer.
  const graph = new Map(reached.map(({ id, score }) => [id, score]));
  for (const { id } of found.own) graph.set(id, 1);
  const disputed = {
    lexical: lexical.contradicted,
    semantic: semantic.contradicted,
    graph: [...own.contradicted, ...beside],
  };
  const contradicted = weighty(disputed, request);
  return { ...found, graph: [...graph].map(([id, score]) => ({ id, score })), hops, contradicted };
};

/** What only a stage without weight has found was not asked for. */
const weighty = (disputed: StageHits, { query, weights }: RecallRequest): Set<string> => {
  const isAnyAsked = weights.recency > 0 || weights.sourceTrust > 0;
  return new Set(
    [
      ...(isAnyAsked || weights.lexical > 0 ? disputed.lexical : []),
      ...(isAnyAsked || weights.vector > 0 ? disputed.semantic : []),
      ...(isAnyAsked || query === '' || weights.graph > 0 ? disputed.graph : []),
    ].map(({ id }) => id),
  );
};

interface DenseStage {
  readonly search: Search;
  /**
   * Scores that mean the same for every embedder: 0 at its floor, 1 for the same text; those who agree by chance are no
   * hits. Takes those hits of the search that were admitted, so that what may not be shown never outshines what may.
   */
  calibrate(admitted: Admitted): Promise<Admitted>;
}

const denseStage = (
  vector: Float32Array | null | undefined,
  view: SearchView,
  pool: CandidatePool,
  { embedder, index }: StageParts,
): DenseStage => {
  if (vector == null || embedder === undefined) return { search: NOTHING, calibrate: async () => NO_HITS };
  const search: Search = (limit, contested) =>
    index.dense(vector, searchFloor(embedder), { ...view, contested }, limit);
  const scored = (hits: readonly Hit[]): Hit[] => {
    const similarities = hits.map(({ score }) => score);
    return calibrateSimilarities(similarities, embedder).map((score, at) => ({ id: (hits[at] as Hit).id, score }));
  };
  const calibrate = ({ hits, contradicted }: Admitted): Admitted => {
    if (contradicted.length === 0) return { hits: scored(hits), contradicted };
    // What is left out would have to be a hit as well, to be missed.
    const all = [...hits, ...contradicted].sort((a, b) => b.score - a.score);
    const left = new Set(contradicted.map(({ id }) => id));
    return { hits: scored(hits), contradicted: scored(all).filter(({ id }) => left.has(id)) };
  };
  if (!embedder.comparesSpelling) return { search, calibrate: async (admitted) => calibrate(admitted) };
  // Only the nearest are compared with each other, so that no more are read while all of them may be shown.
  let compared = 0;
  return {
    search: async (limit, contested) => {
      const nearest = await search(Math.min(limit, MOST_COMPARED), contested);
      compared = nearest.length;
      return nearest;
    },
    calibrate: async (admitted) => {
      if (admitted.hits.length === compared) return calibrate(admitted);
      const [deeper = NO_HITS] = await pool.admit([search]);
      return calibrate({ ...deeper, contradicted: [...admitted.contradicted, ...deeper.contradicted] });
    },
  };
};

const NO_HITS: Admitted<never> = { hits: [], contradicted: [] };
const NOTHING = async (): Promise<Hit[]> => [];

type Reached = Hit & { readonly hops: number };

/** From the facts that the first two stages found, or that the entity has, to those beside them. */
const expand = async (
  found: Pick<Found, 'lexical' | 'semantic' | 'own'>,
  request: RecallRequest,
  context: RecallContext,
  pool: CandidatePool,
  { index, hooks }: StageParts,
): Promise<{ readonly reached: readonly Reached[]; readonly contradicted: readonly Hit[] }> => {
  const seeds = seedsOf(found, request);
  if (seeds.length === 0) return { reached: [], contradicted: [] };
  // The way leads away from the entity that was asked about.
  const view = { ...context.view, entityKey: undefined };
  const handlers = hooks.hasHandlers(recallExpand)
    ? await hooks.collect(recallExpand, {
        ...context,
        view,
        seeds: seeds.flatMap((seed) => withView(seed, pool)),
        newestAbout: (entityKey, limit) => index.newest({ ...view, entityKey }, limit),
      })
    : [];
  const [beside = NO_HITS, linked = NO_HITS] = await pool.admit<Reached>([
    async (limit, contested) =>
      (await index.besides(seeds, { ...view, contested }, limit)).map((hit) => ({ ...hit, hops: 1 })),
    async () => bestOf(handlers.flat()),
  ]);
  const contradicted = [...beside.contradicted, ...linked.contradicted];
  return { reached: bestOf([...beside.hits, ...linked.hits]), contradicted };
};

const withView = ({ id, score }: Hit, pool: CandidatePool) => {
  const view = pool.get(id);
  return view === undefined ? [] : [{ ...view, score }];
};

/** Scored from 0 to 1 by the stages that need no seeds, as the caller weighs them against each other. */
const seedsOf = (found: Pick<Found, 'lexical' | 'semantic' | 'own'>, { weights }: RecallRequest): Hit[] => {
  const sum = weights.lexical + weights.vector;
  const [lexical, vector] = sum > 0 ? [weights.lexical / sum, weights.vector / sum] : [0.5, 0.5];
  const share = { lexical, vector, graph: 0, sourceTrust: 0, recency: 0 };
  const scores = normaliseStages({ ...found, graph: [] });
  const seeds = new Map<string, number>(found.own.map(({ id }) => [id, 1]));
  for (const [id, stages] of scores) {
    const score = fuse(stages, { recency: 0, sourceTrust: 0 }, share);
    if (score > (seeds.get(id) ?? 0)) seeds.set(id, score);
  }
  return [...seeds].map(([id, score]) => ({ id, score }));
};

/** Each fact once, by the best way that leads to it; best first. */
const bestOf = (reached: readonly Reached[]): Reached[] => {
  const best = new Map<string, Reached>();
  for (const one of reached) {
    const known = best.get(one.id);
    if (known === undefined) best.set(one.id, one);
    else
      best.set(one.id, { id: one.id, score: Math.max(one.score, known.score), hops: Math.min(one.hops, known.hops) });
  }
  return [...best.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
};
