import {
  type FactView,
  type HookCaller,
  type Principal,
  type Random,
  requirePermission,
  type ServiceNames,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { type IntactFacts, readSessionName, type SessionReads } from '../facts/facts-api.ts';
import type { Moments } from '../time-travel/time-travel-api.ts';
import {
  type Degradation,
  type Omitted,
  type Recall,
  type RecallAddition,
  type Recalled,
  type RecallMember,
  type RecallOptions,
  type RecallOutcome,
  recallAnswer,
} from './recall-api.ts';
import { type Chosen, type PipelineParts, recallFacts, tokensOf } from './recall-pipeline.ts';
import { readQuestion } from './recall-request.ts';
import type { RecallTrail } from './recall-trail.ts';
import { withStepFor } from './why-not.ts';

export interface RecallParts {
  readonly pipeline: PipelineParts;
  readonly hooks: HookCaller;
  readonly random: Random;
  readonly names: ServiceNames;
  /** Undefined if no plugin answers requests about the past. */
  readonly moments: Moments | undefined;
  readonly trail: RecallTrail;
  /** Members that plugins may fill. */
  readonly members: readonly RecallMember[];
  readonly sessionReads: SessionReads | undefined;
  readonly intact: IntactFacts | undefined;
}

/** Recalls facts, records their use, and lets plugins extend the answer. */
export const createRecall = (parts: RecallParts): Recall => ({
  async recall(caller, question, { session, verify = false, room, place = 'body' } = {}) {
    requirePermission(caller, 'read');
    const { names, pipeline } = parts;
    const request = readQuestion(question, place, caller, parts);
    const sessionId =
      session === undefined ? null : readSessionName(session, `header.${names.headers.session.toLowerCase()}`);
    const chosen = await recallFacts(request, caller, pipeline);
    const kept = await withinRoom(await keepIntact(chosen, parts, caller), room);
    const recallId = parts.random.uuid();
    const queryHash = sha256Hex(request.query);
    const returned = storedOf(kept);
    await parts.sessionReads?.returned(
      sessionId,
      caller,
      kept.facts.map(({ view }) => view),
    );
    await parts.trail.record(caller, { recallId, queryHash, tokensUsed: kept.tokensUsed, returned });
    // A recall of the past does not count as present use.
    if (request.notes === undefined) pipeline.access.note(strongOf(kept));
    const outcome = { caller, returned, chosen: storedOf(chosen), verify };
    return {
      recallId,
      queryHash,
      tokenBudget: request.tokenBudget,
      ...kept,
      ...withAdditions(kept, await additionsTo(outcome, parts), parts.members),
    };
  },
});

const additionsTo = async (outcome: RecallOutcome, { hooks }: RecallParts): Promise<readonly RecallAddition[]> =>
  hooks.hasHandlers(recallAnswer) ? hooks.collect(recallAnswer, outcome) : [];

const withAdditions = (
  { degraded, omitted }: Chosen,
  additions: readonly RecallAddition[],
  members: readonly RecallMember[],
): Pick<Recalled, 'degraded' | 'omitted' | 'members'> => {
  const reasons = new Set<Degradation>([...degraded, ...additions.flatMap((added) => added.degraded ?? [])]);
  const counts: Record<string, number> & Omitted = { ...omitted };
  const filled = new Map<string, unknown>();
  for (const { omitted: more = {}, members: added = {} } of additions) {
    for (const [reason, count] of Object.entries(more)) counts[reason] = (counts[reason] ?? 0) + count;
    for (const [id, value] of Object.entries(added)) {
      if (!members.some((member) => member.id === id)) throw new Error(`no plugin declares the recall member ${id}`);
      filled.set(id, value);
    }
  }
  return { degraded: [...reasons], omitted: counts, members: filled };
};

/** Cuts the facts to the number that `room` returns, and counts the rest as left out for the budget. */
const withinRoom = async (chosen: Chosen, room: RecallOptions['room']): Promise<Chosen> => {
  const count = room === undefined ? chosen.facts.length : await room(chosen.facts);
  if (count >= chosen.facts.length) return chosen;
  const facts = chosen.facts.slice(0, count);
  const omitted = { ...chosen.omitted, budget: chosen.omitted.budget + chosen.facts.length - facts.length };
  return {
    ...chosen,
    facts,
    tokensUsed: tokensOf(facts),
    omitted,
    whyNot: withStepFor(chosen.whyNot, facts, 'budget'),
  };
};

/** Selects the facts whose recall counts as use. Weak facts only fill the budget. */
const strongOf = ({ facts: [best, ...rest] }: Chosen): FactView[] =>
  best === undefined
    ? []
    : [best, ...rest]
        .filter(({ score, fromCard }) => !fromCard && score >= STRONG * best.score)
        .map(({ view }) => view);

/** The share of the best score at which a fact counts as recalled. */
const STRONG = 0.8;

/** Returns the facts that are in the store, without cards. */
const storedOf = ({ facts }: Chosen): FactView[] => facts.flatMap(({ view, fromCard }) => (fromCard ? [] : [view]));

/** Leaves out facts whose rows were changed outside the node. */
const keepIntact = async (chosen: Chosen, { intact }: RecallParts, caller: Principal): Promise<Chosen> => {
  if (intact === undefined) return chosen;
  const views = storedOf(chosen);
  const kept = await intact.keepIntact(views, caller);
  if (kept.length === views.length) return chosen;
  const ids = new Set(kept.map(({ fact }) => fact.id));
  const facts = chosen.facts.filter(({ view, fromCard }) => fromCard || ids.has(view.fact.id));
  return {
    ...chosen,
    facts,
    tokensUsed: tokensOf(facts),
    whyNot: withStepFor(chosen.whyNot, facts, 'changed'),
    totalScored: chosen.totalScored - (chosen.facts.length - facts.length),
  };
};
