import { compareHlc, type FactView, type HookCaller } from '../../kernel/plugin-api.ts';
import type { AccessCounts } from './access-counts.ts';
import type { CandidatePool } from './candidate-pool.ts';
import { textOf } from './fact-text.ts';
import { fuse, normaliseStages } from './fuse-stages.ts';
import { namedFactor, namesIn } from './name-bonus.ts';
import { type FactSignals, type RecallContext, recallSignal, type ScoredFact, type StageScores } from './recall-api.ts';
import type { RecallRequest } from './recall-request.ts';
import type { Found } from './recall-stages.ts';
import { salienceOf, weigh } from './salience.ts';
import type { TextSignature } from './text-signature.ts';
import { timesIn } from './time-words/read-times.ts';
import { timedFactor } from './time-words/timed-factor.ts';

/** A fact that may be packed. */
export interface Candidate extends ScoredFact {
  readonly rank: number;
  readonly byScore: boolean;
  signature(): TextSignature;
}

export interface ScoreParts {
  readonly hooks: HookCaller;
  readonly access: AccessCounts;
  /** The share by which recency, confidence and access can each raise or lower a score (SVC_SALIENCE_WEIGHT). */
  readonly salienceWeight: number;
  /** The value of `AccessCounts.age` from before the snapshot was opened. */
  readonly age: AccessCounts['age'];
}

/** Scores the facts that the stages found, and the summary of the entity; best first. */
export const scoreFound = async (
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
  const times = request.ignoresTime ? [] : timesIn(request.query, context.reader.nowMs);
  const scored = views.map((view): Candidate => {
    const { id } = view.fact;
    const way = { hops: found.hops.get(id) ?? 1, fromCard: false, byScore: ownIds.has(id) };
    const known = {
      stages: stages.get(id) ?? AT_THE_ENTITY,
      named: namedOf(view),
      timed: timedFactor(times, view.fact),
      signals: signals(id),
    };
    return scoreOf(view, known, way, request, context, parts);
  });
  if (card !== null) {
    const known = { stages: AT_THE_ENTITY, named: 1, timed: 1, signals: NO_SIGNALS };
    scored.push(scoreOf(card, known, { hops: 0, fromCard: true, byScore: true }, request, context, parts));
  }
  // Leaves out facts that only a stage without weight has found.
  return scored.filter(({ fused }) => fused > 0).sort(bestFirst);
};

/**
 * Returns the bonus for facts about the speaker that the query names. Only facts with neighbours in their session get
 * it, because several people may speak there. In other facts a name is an ordinary word.
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
  readonly timed: number;
  readonly signals: FactSignals;
}

const scoreOf = (
  view: FactView,
  { stages, named, timed, signals }: Known,
  { hops, fromCard, byScore }: Pick<Candidate, 'hops' | 'fromCard' | 'byScore'>,
  { query, weights, maxValueBytes }: RecallRequest,
  { reader }: RecallContext,
  { salienceWeight }: ScoreParts,
): Candidate => {
  const salience = salienceOf(view, signals, reader.nowMs);
  const text = textOf(view.fact);
  // Without a query, only the entity can match.
  const fused = query === '' ? stages.graph : fuse(stages, salience, weights);
  const score = weigh(fused * named * timed, salience, salienceWeight);
  return {
    view,
    stages,
    fused,
    named,
    timed,
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
