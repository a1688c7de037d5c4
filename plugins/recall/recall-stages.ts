import type { HookCaller } from '../../kernel/plugin-api.ts';
import type { Hit, SearchIndex } from '../search/search-api.ts';
import type { Admitted, CandidatePool, Search } from './candidate-pool.ts';
import { DenseStage } from './dense-stage.ts';
import type { QueryParts, QueryVector } from './embed-query.ts';
import { fuse, normaliseStages, type StageHits } from './fuse-stages.ts';
import { entitiesOf, linkedFacts } from './linked-facts.ts';
import { mergeAdmitted } from './merge-admitted.ts';
import { type LinkedFact, type RecallContext, recallExpand } from './recall-api.ts';
import { idsOf, RecallPlan } from './recall-plan.ts';
import { isNarrowing, type RecallRequest } from './recall-request.ts';
import { LINKED_DEPTH, type SearchDepth } from './search-depth.ts';
import { neededStages } from './stage-weights.ts';
import { startOfWalk } from './start-of-walk.ts';
import { shareOfQuery, trustInWords } from './trust-in-words.ts';
import { withWordsForVectors } from './words-for-vectors.ts';
import { planShares, type Shares, withSharedWords } from './words-together.ts';

export interface StageParts extends QueryParts {
  readonly index: SearchIndex;
  readonly hooks: HookCaller;
}

/** The hits of the stages, and the distance of each fact from the nearest hit. */
export interface Found extends StageHits {
  /** Facts of the requested entity, newest first; empty without one. */
  readonly own: readonly Hit[];
  readonly hops: ReadonlyMap<string, number>;
  /**
   * For facts with neighbours in their session: the share of the query that a fact and its neighbours contain together.
   */
  readonly shares: Shares;
  /** Facts that would be candidates without their contradiction, from the stages that have weight. */
  readonly contradicted: ReadonlySet<string>;
  /** True if a deeper search might have found more. */
  readonly isCut: boolean;
}

/** Runs the stages that have weight. Each hit is read again with the rights of the caller. */
export const runStages = async (
  request: RecallRequest,
  depth: SearchDepth,
  vectors: readonly QueryVector[],
  context: RecallContext,
  pool: CandidatePool,
  parts: StageParts,
): Promise<Found> => {
  const { index } = parts;
  const { view, query } = context;
  const needed = neededStages(request.weights);
  const plan = new RecallPlan(index, view, context.reader.snapshot);
  const words =
    query === '' || !needed.lexical ? undefined : plan.addSearch({ find: 'words', query, limit: depth.stage });
  const dense = vectors.map((vector) => new DenseStage(plan, vector, words, depth.stage));
  const ofEntity = request.entity === undefined ? undefined : plan.addSearch({ find: 'newest', limit: depth.entity });
  const [lexical = NO_HITS, ...similar] = await pool.admit(
    [words?.search ?? NO_SEARCH, ...dense.map(({ search }) => search)],
    depth.stage,
    depth.wanted,
  );
  const [own = NO_HITS] = ofEntity === undefined ? [] : await pool.admit([ofEntity.search], depth.entity, depth.wanted);
  const trust = trustInWords(shareOfQuery(lexical.hits, words && (await plan.answer(words.place)).bound));
  const calibrated = mergeAdmitted(
    await Promise.all(dense.map((stage, at) => stage.calibrate(similar[at] ?? NO_HITS, lexical.hits, trust))),
  );
  const counted = request.weights.lexical > 0 ? lexical.hits : [];
  const compared = new Set((await Promise.all(dense.map((stage) => stage.compared(counted)))).flat());
  const semantic = withWordsForVectors(calibrated, counted, compared);
  const found = { lexical: lexical.hits, semantic: semantic.hits, own: own.hits, trust };
  const around = await expand(found, request, depth, context, pool, parts);
  const { reached } = around;
  const hops = new Map(reached.map(({ id, hops }) => [id, hops]));
  for (const hits of [found.lexical, found.semantic, found.own]) for (const { id } of hits) hops.set(id, 0);
  // The graph starts at the entity's own facts, which therefore have the least distance.
  const graph = new Map(reached.map(({ id, score }) => [id, score]));
  for (const { id } of found.own) graph.set(id, 1);
  const disputed = {
    lexical: lexical.contradicted,
    semantic: semantic.contradicted,
    graph: [...own.contradicted, ...around.contradicted],
  };
  const contradicted = weighty(disputed, request);
  const shares = await around.sharesOf([...hops.keys()]);
  // Only the graph stage finds the facts around a hit.
  const isAround = context.depth > 0 && needed.graph && needed.lexical;
  return {
    ...found,
    lexical: isAround ? withSharedWords(found.lexical, shares) : found.lexical,
    graph: [...graph].map(([id, score]) => ({ id, score })),
    hops,
    shares,
    contradicted,
    isCut: [lexical, ...similar, own, around].some(({ isCut }) => isCut === true),
  };
};

/** Returns the ids of the hits, without facts that only stages without weight have found. */
export const weighty = (hits: Omit<StageHits, 'trust'>, { query, weights }: RecallRequest): Set<string> => {
  const isAnyAsked = weights.recency > 0 || weights.sourceTrust > 0;
  return new Set(
    [
      ...(isAnyAsked || weights.lexical > 0 ? hits.lexical : []),
      ...(isAnyAsked || weights.vector > 0 ? hits.semantic : []),
      ...(isAnyAsked || query === '' || weights.graph > 0 ? hits.graph : []),
    ].map(({ id }) => id),
  );
};

const NO_HITS: Admitted<never> = { hits: [], contradicted: [] };

const NO_SEARCH: Search = async () => [];

/** The facts and entities around the hits. */
interface Around {
  readonly reached: readonly LinkedFact[];
  readonly contradicted: readonly Hit[];
  readonly isCut?: boolean | undefined;
  sharesOf(ids: readonly string[]): Promise<Shares>;
}

/** Expands the graph from the hits of words and vectors, and from the facts of the requested entity. */
const expand = async (
  found: Pick<Found, 'lexical' | 'semantic' | 'own'>,
  request: RecallRequest,
  depth: SearchDepth,
  context: RecallContext,
  pool: CandidatePool,
  { index, hooks }: StageParts,
): Promise<Around> => {
  const { query } = context;
  const isAsked = context.depth > 0 && (query === '' || neededStages(request.weights).graph);
  const seeds = isAsked ? seedsOf(found, request) : [];
  const start = isAsked && found.own.length === 0 ? await startOfWalk(request, depth, context, pool, index) : [];
  // Leaves out paths that lead back to the requested entity.
  const view = { ...context.view, entityKey: undefined };
  const plan = new RecallPlan(index, view, context.reader.snapshot);
  const ids = idsOf([...found.lexical, ...found.semantic, ...found.own]);
  if (seeds.length === 0 && start.length === 0) {
    return { reached: [], contradicted: [], sharesOf: planShares(plan, query, { ids, foundBy: [] }) };
  }
  const expansions = hooks.hasHandlers(recallExpand)
    ? await hooks.collect(recallExpand, {
        ...context,
        view,
        seeds: [...seeds.flatMap((seed) => withView(seed, pool)), ...start],
        isNarrowed: isNarrowing(request),
      })
    : [];
  const beside = plan.addSearch({ find: 'beside', seeds, limit: depth.stage });
  const newest = entitiesOf(expansions).map(({ entityKey, limit }) => plan.add({ find: 'newest', entityKey, limit }));
  const linked = expansions.flatMap(({ facts }) => facts);
  const sharesOf = planShares(plan, query, {
    ids: [...ids, ...idsOf(linked)],
    foundBy: [beside.place, ...newest],
  });
  const [besides = NO_HITS, links = NO_HITS] = await pool.admit<LinkedFact>(
    [
      async (...given) => (await beside.search(...given)).map((hit) => ({ hops: 1, ...hit })),
      async () => {
        const answers = await Promise.all(newest.map((place) => plan.answer(place)));
        return linkedFacts(
          expansions,
          answers.map(({ hits }) => hits),
          seeds,
        );
      },
    ],
    [depth.stage, LINKED_DEPTH],
    depth.wanted,
  );
  return {
    reached: bestOf([...besides.hits, ...links.hits]),
    contradicted: [...besides.contradicted, ...links.contradicted],
    isCut: besides.isCut,
    sharesOf,
  };
};

const withView = ({ id, score }: Hit, pool: CandidatePool) => {
  const view = pool.get(id);
  return view === undefined ? [] : [{ score, ...view }];
};

/** Returns seeds scored from 0 to 1 by the stages that need no seeds, with the caller's weights. */
const seedsOf = (found: Pick<Found, 'lexical' | 'semantic' | 'own'>, { weights }: RecallRequest): Hit[] => {
  const sum = weights.lexical + weights.vector;
  const [lexical, vector] = sum > 0 ? [weights.lexical / sum, weights.vector / sum] : [0.5, 0.5];
  const share = { lexical, vector, graph: 0, sourceTrust: 0, recency: 0 };
  const scores = normaliseStages({ ...found, graph: [], trust: 1 });
  const seeds = new Map<string, number>(found.own.map(({ id }) => [id, 1]));
  for (const [id, stages] of scores) {
    const score = fuse(stages, { recency: 0, sourceTrust: 0 }, share);
    if (score > (seeds.get(id) ?? 0)) seeds.set(id, score);
  }
  return [...seeds].map(([id, score]) => ({ id, score }));
};

/** Returns each fact once, by its best path; best first. */
const bestOf = (reached: readonly LinkedFact[]): LinkedFact[] => {
  const best = new Map<string, LinkedFact>();
  for (const one of reached) {
    const known = best.get(one.id);
    if (known === undefined) best.set(one.id, one);
    else
      best.set(one.id, { id: one.id, score: Math.max(one.score, known.score), hops: Math.min(one.hops, known.hops) });
  }
  return [...best.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
};
