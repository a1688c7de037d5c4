import { refuseGarden } from '../../kernel/internal-api.ts';
import {
  type Clock,
  compareHlc,
  type FactReader,
  type Facts,
  type FactView,
  type GardenAccess,
  matchKey,
  type Principal,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { IndexLost, type SearchView } from '../search/search-api.ts';
import type { AccessCounts } from './access-counts.ts';
import { CandidatePool } from './candidate-pool.ts';
import { degradationOf } from './degradation.ts';
import { embedQuery } from './embed-query.ts';
import { EMPTY_INDEX, isEmpty } from './empty-index.ts';
import { textOf } from './fact-text.ts';
import { fuse, normaliseStages } from './fuse-stages.ts';
import { namedFactor, namesIn } from './name-bonus.ts';
import { newestWordingFirst } from './newest-wording.ts';
import { type PackOptions, packByMmr } from './pack-by-mmr.ts';
import {
  type EntitySummary,
  type FactSignals,
  type RecallContext,
  type Recalled,
  recallSignal,
  recallSummary,
  type ScoredFact,
  type StageScores,
} from './recall-api.ts';
import type { RecallRequest } from './recall-request.ts';
import { type Found, runStages, type StageParts } from './recall-stages.ts';
import type { RecallTelemetry } from './recall-telemetry.ts';
import { salienceOf, weigh } from './salience.ts';
import { sayOnce } from './say-once.ts';
import { firstDepth, fullDepth, type SearchDepth, wantsMore } from './search-depth.ts';
import { neededStages } from './stage-weights.ts';
import type { TextSignature } from './text-signature.ts';

export interface PipelineParts extends StageParts {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly names: ServiceNames;
  readonly access: AccessCounts;
  readonly gardens: GardenAccess | undefined;
  readonly measured: RecallTelemetry;
  /** The share by which recency, confidence and access can each raise or lower a score (SVC_SALIENCE_WEIGHT). */
  readonly salienceWeight: number;
}

/** A fact that may be packed. */
interface Candidate extends ScoredFact {
  readonly rank: number;
  readonly byScore: boolean;
  signature(): TextSignature;
}

/** The chosen facts and counts, from which the answer is built. */
export type Chosen = Pick<Recalled, 'facts' | 'totalScored' | 'tokensUsed' | 'omitted' | 'degraded'>;

/** Starts again if the index was lost meanwhile. If that repeats, the answer is made without an index. */
export const recallFacts = async (request: RecallRequest, caller: Principal, parts: PipelineParts): Promise<Chosen> => {
  for (let lost = 0; lost < MOST_LOST; lost += 1) {
    try {
      return await chooseFacts(request, caller, parts);
    } catch (error) {
      if (!(error instanceof IndexLost)) throw error;
    }
  }
  return chooseFacts(request, caller, { ...parts, index: EMPTY_INDEX });
};

const MOST_LOST = 3;

/** Chooses the facts on one snapshot: stages, fusion, salience, the summary of the entity, packing. */
const chooseFacts = async (request: RecallRequest, caller: Principal, given: PipelineParts): Promise<Chosen> => {
  const { measured } = given;
  const asked = neededStages(request.weights).vector ? request.query : '';
  const vectors = await measured.step('embed', () => embedQuery(asked, caller, given));
  // Reads the index before the snapshot, so that the snapshot has every fact that the index proposes.
  const behind = await measured.step('wait', () => given.index.ready());
  const parts = isEmpty(behind) ? { ...given, index: EMPTY_INDEX } : given;
  // Cached counts are at least as old as the snapshot.
  const used = { ...parts, age: parts.access.age };
  const choose = async (reader: FactReader): Promise<Chosen> => {
    const context: RecallContext = {
      caller,
      reader,
      view: await viewOf(request, caller, reader, parts),
      query: request.query,
      depth: request.depth,
    };
    const { includeContradicted, minConfidence, entityPrefix: prefix } = request;
    const keyPrefix = prefix === undefined ? '' : matchKey(prefix, parts.names);
    const pool = new CandidatePool(reader, { ...context.view, includeContradicted, minConfidence, keyPrefix });
    const summary = await measured.step('summary', () => summaryOf(request, context, parts));
    const reach = async (depth: SearchDepth) => {
      const found = await measured.step('search', () => runStages(request, depth, vectors.all, context, pool, parts));
      const scored = await measured.step('score', () => score(found, summary.fact, request, context, pool, used));
      const ranked = newestWordingFirst(sayOnce(scored));
      return { found, scored, ranked, ...packByMmr(ranked, packingOf(request)) };
    };
    const first = await reach(firstDepth(request));
    // The pool caches the facts that it has read, so the second pass reads only new ones.
    const isWanting = first.found.isCut && wantsMore(first.packed, request);
    const { found, scored, ranked, packed, unfit } = isWanting ? await reach(fullDepth(request)) : first;
    measured.scored(scored.length);
    const contradicted = countContradicted(found, summary.fact, context, pool);
    const chosen = new Set(packed);
    return {
      facts: ranked.filter((one) => chosen.has(one)),
      totalScored: scored.length,
      tokensUsed: tokensOf(packed),
      omitted: { contradicted, budget: unfit, repeated: scored.length - ranked.length },
      degraded: [...(await degradationOf({ vector: vectors.own, behind }, reader, parts.index)), ...summary.degraded],
    };
  };
  return parts.facts.read(caller, 'recall', choose, request.notes);
};

/** `age` tells which counts may be cached. */
type ScoreParts = PipelineParts & { readonly age: number };

const packingOf = ({ tokenBudget, limit, lambdaMmr }: RecallRequest): PackOptions => ({
  budget: tokenBudget,
  limit,
  lambda: lambdaMmr,
});

/** Counts contradicted facts that are left out. A card names all rivals, so its facts do not count. */
const countContradicted = (
  { contradicted }: Found,
  card: FactView | null,
  { view }: RecallContext,
  pool: CandidatePool,
): number =>
  [...contradicted].filter((id) => card === null || pool.contradicted(id)?.fact.entityKey !== view.entityKey).length;

/**
 * Returns the view of the request: the facts that the caller may read, narrowed by the question. Throws if the caller
 * lacks the rights.
 */
const viewOf = async (
  request: RecallRequest,
  caller: Principal,
  reader: FactReader,
  { names, gardens: access }: PipelineParts,
): Promise<SearchView> => {
  const { scope, entity, relation, excludedRelations } = request;
  const { gardens } = reader;
  const only = scope.kind === 'garden' ? await access?.enter(scope.name, caller, reader.snapshot) : undefined;
  if (scope.kind === 'garden' && only === undefined) throw refuseGarden(caller);
  if (scope.kind === 'scope' && !caller.allowedScopes.has(scope.scope)) {
    throw new ServiceError('authorization', `the key may not read scope ${scope.scope}`);
  }
  return {
    tenantId: caller.tenantId,
    scopes: scope.kind === 'scope' ? [scope.scope] : [...caller.allowedScopes],
    gardens,
    onlyGarden: only?.id,
    nowMs: reader.nowMs,
    asOf: reader.asOf,
    minConfidence: request.minConfidence,
    entityKey: entity === undefined ? undefined : matchKey(entity, names),
    relationKey: relation === undefined ? undefined : matchKey(relation, names),
    excludedRelationKeys: excludedRelations.map((one) => matchKey(one, names)),
  };
};

/** Returns the summary of the entity, but only for the present. */
const summaryOf = async (
  { entity, relation, forceRefresh }: RecallRequest,
  context: RecallContext,
  { hooks }: PipelineParts,
): Promise<EntitySummary> =>
  entity === undefined || relation !== undefined || context.reader.asOf !== undefined
    ? NO_SUMMARY
    : hooks.filter(recallSummary, NO_SUMMARY, { ...context, entity, forceRefresh });

const NO_SUMMARY: EntitySummary = { fact: null, degraded: [] };

const score = async (
  found: Found,
  card: FactView | null,
  request: RecallRequest,
  context: RecallContext,
  pool: CandidatePool,
  parts: ScoreParts,
): Promise<Candidate[]> => {
  const stages = normaliseStages(found);
  const ownIds = new Set(found.own.map(({ id }) => id));
  const { entityKey } = context.view;
  // Leaves out facts that the summary replaces.
  const isSummarised = (fact: FactView['fact']): boolean => card !== null && fact.entityKey === entityKey;
  const views = [...stages.keys()].flatMap((id) => pool.get(id) ?? []).filter(({ fact }) => !isSummarised(fact));
  const signals = await signalsOf(views, context, parts);
  const namedOf = namedAmong(views, found.shares, request.query);
  const scored = views.map((view): Candidate => {
    const { id } = view.fact;
    const way = { hops: found.hops.get(id) ?? 1, fromCard: false, byScore: ownIds.has(id) };
    const known = { stages: stages.get(id) ?? AT_THE_ENTITY, named: namedOf(view), signals: signals(id) };
    return scoreOf(view, known, way, request, context, parts);
  });
  if (card !== null) {
    const known = { stages: AT_THE_ENTITY, named: 1, signals: NO_SIGNALS };
    scored.push(scoreOf(card, known, { hops: 0, fromCard: true, byScore: true }, request, context, parts));
  }
  // Leaves out facts that only a stage without weight has found.
  return scored.filter(({ fused }) => fused > 0).sort(bestFirst);
};

/**
 * Returns the bonus for facts about the speaker that the query names. It applies only to facts that stand beside others
 * in their session, where several may speak: in a document a name is a word like any other.
 */
const namedAmong = (
  views: readonly FactView[],
  shares: Found['shares'],
  query: string,
): ((view: FactView) => number) => {
  const shareOf = namesIn(query);
  const named = new Map(views.flatMap(({ fact }) => (shares.has(fact.id) ? [[fact.id, shareOf(fact)]] : [])));
  const most = Math.max(0, ...named.values());
  return ({ fact }) => namedFactor(named.get(fact.id) ?? 0, most);
};

/** The known scores and signals of a candidate. */
interface Known {
  readonly stages: StageScores;
  readonly named: number;
  readonly signals: FactSignals;
}

const scoreOf = (
  view: FactView,
  { stages, named, signals }: Known,
  { hops, fromCard, byScore }: Pick<Candidate, 'hops' | 'fromCard' | 'byScore'>,
  { query, weights, maxValueBytes }: RecallRequest,
  { reader }: RecallContext,
  { salienceWeight }: PipelineParts,
): Candidate => {
  const salience = salienceOf(view, signals, reader.nowMs);
  const text = textOf(view.fact);
  // Without a query, only the entity can match.
  const fused = query === '' ? stages.graph : fuse(stages, salience, weights);
  const score = weigh(fused * named, salience, salienceWeight);
  return {
    view,
    stages,
    fused,
    named,
    salience,
    score,
    rank: score,
    tokens: text.tokensUpTo(maxValueBytes),
    hops,
    fromCard,
    byScore,
    signature: text.signature,
  };
};

const NO_SIGNALS: FactSignals = { access: 0, gardenTier: 1 };
const AT_THE_ENTITY: StageScores = { lexical: 0, semantic: 0, graph: 1 };

/** Orders by score, then by origin stamp, newest first, then by id. */
const bestFirst = (a: ScoredFact, b: ScoredFact): number =>
  b.score - a.score ||
  compareHlc(b.view.fact.hlc, a.view.fact.hlc) ||
  (a.view.fact.id < b.view.fact.id ? -1 : a.view.fact.id > b.view.fact.id ? 1 : 0);

/** Returns the signals of each fact: how often it was recalled, and the factors that plugins give. */
const signalsOf = async (
  views: readonly FactView[],
  context: RecallContext,
  { access, age, hooks }: ScoreParts,
): Promise<(id: string) => FactSignals> => {
  const isPast = context.reader.asOf !== undefined;
  const recalled = isPast ? () => 0 : await access.signals(views, context, age);
  const said = hooks.hasHandlers(recallSignal) ? await hooks.collect(recallSignal, { ...context, facts: views }) : [];
  const some = said.filter(({ size }) => size > 0);
  return (id) => {
    const known = { access: recalled(id), gardenTier: NO_SIGNALS.gardenTier };
    for (const one of some) Object.assign(known, one.get(id));
    return known;
  };
};

export const tokensOf = (facts: readonly ScoredFact[]): number => facts.reduce((sum, { tokens }) => sum + tokens, 0);
