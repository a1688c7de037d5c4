import { refuseGarden } from '../../kernel/internal-api.ts';
import {
  type Clock,
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
import { CandidateTexts, withTexts } from './candidate-texts.ts';
import { degradationOf } from './degradation.ts';
import { embedQuery } from './embed-query.ts';
import { EMPTY_INDEX, isEmpty } from './empty-index.ts';
import { type Reached, whyNot, withWhy } from './explain-recall.ts';
import { narrowedView } from './narrowed-view.ts';
import { newestWordingFirst } from './newest-wording.ts';
import { packByMmr } from './pack-by-mmr.ts';
import { type EntitySummary, type RecallContext, type Recalled, recallSummary, type ScoredFact } from './recall-api.ts';
import { isNarrowing, MAX_LIMIT, packingOf, type RecallRequest } from './recall-request.ts';
import { type Found, runStages, type StageParts } from './recall-stages.ts';
import type { RecallTelemetry } from './recall-telemetry.ts';
import { sayOnce } from './say-once.ts';
import { scoreFound } from './score-found.ts';
import { firstDepth, fullDepth, type SearchDepth, wantsMore } from './search-depth.ts';
import { neededStages } from './stage-weights.ts';
import { withStepFor } from './why-not.ts';

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

/** The chosen facts and counts, from which the answer is built. */
export type Chosen = Pick<Recalled, 'facts' | 'totalScored' | 'tokensUsed' | 'omitted' | 'degraded' | 'whyNot'>;

/** Repeats the recall once if the index is lost meanwhile. After a second loss, answers without an index. */
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
    const { includeContradicted, minConfidence, narrowed } = request;
    const admission = { ...context.view, includeContradicted, minConfidence, narrowed };
    const pool = new CandidatePool(reader, admission, new CandidateTexts(request));
    const summary = await measured.step('summary', () => summaryOf(request, context, parts));
    const search = (depth: SearchDepth) =>
      measured.step('search', () => runStages(request, depth, vectors.all, context, pool, parts));
    const reach = async (depth: SearchDepth): Promise<Reached> => {
      const found = await search(depth);
      const scored = await measured.step('score', () => scoreFound(found, summary.fact, request, context, pool, used));
      const ranked = newestWordingFirst(sayOnce(scored));
      return { found, scored, ranked, ...packByMmr(ranked, packingOf(request)) };
    };
    const first = await reach(firstDepth(request));
    // The pool caches the facts that it has read, so the second pass reads only new ones.
    const isWanting = first.found.isCut && wantsMore(first.packed, request);
    const reached = isWanting ? await reach(fullDepth(request)) : first;
    const { found, scored, ranked, packed, unfit } = reached;
    measured.scored(scored.length);
    const contradicted = countContradicted(found, summary.fact, context, pool);
    const chosen = new Set(packed);
    const inOrder = ranked.filter((one) => chosen.has(one));
    const facts = await withTexts(request.explain ? withWhy(inOrder, reached) : inOrder, reader);
    const searchDeeper = () => search(fullDepth({ limit: MAX_LIMIT }));
    return {
      facts,
      totalScored: scored.length,
      tokensUsed: tokensOf(facts),
      omitted: {
        contradicted,
        budget: unfit.length + packed.length - facts.length,
        repeated: scored.length - ranked.length,
      },
      degraded: [...(await degradationOf({ vector: vectors.own, behind }, reader, parts.index)), ...summary.degraded],
      ...(request.whyNot.length > 0 && {
        whyNot: withStepFor(
          await whyNot({ request, reached, card: summary.fact, context, admission, searchDeeper }),
          facts,
          'budget',
        ),
      }),
    };
  };
  return parts.facts.read(caller, 'recall', choose, request.notes);
};

/** Counts contradicted facts that were left out. A card lists all values of a conflict, so its facts do not count. */
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
    ...(await narrowedView(request.narrowed, reader, request.place)),
  };
};

/** Returns the summary of the entity. Only a recall of the present without filters gets it. */
const summaryOf = async (
  request: RecallRequest,
  context: RecallContext,
  { hooks }: PipelineParts,
): Promise<EntitySummary> => {
  const { entity, forceRefresh } = request;
  // A card covers all present facts of an entity, including those that the request excludes.
  if (entity === undefined || isNarrowing(request) || context.reader.asOf !== undefined) return NO_SUMMARY;
  return hooks.filter(recallSummary, NO_SUMMARY, { ...context, entity, forceRefresh });
};

const NO_SUMMARY: EntitySummary = { fact: null, degraded: [] };

export const tokensOf = (facts: readonly ScoredFact[]): number => facts.reduce((sum, { tokens }) => sum + tokens, 0);
