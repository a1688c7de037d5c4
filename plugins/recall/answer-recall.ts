import {
  type FactJson,
  type FactView,
  LIST_BYTES,
  type Principal,
  type Random,
  type ReadSession,
  type Reply,
  type ServiceNames,
  type SpelledList,
  sha256Hex,
  spellList,
} from '../../kernel/plugin-api.ts';
import { AUDIT_READ } from '../audit/audit-api.ts';
import type { FactChain } from '../fact-chain/fact-chain-api.ts';
import type { IntactFacts, SessionReads } from '../facts/facts-api.ts';
import { type PipelineParts, type Recalled, recallFacts, type ScoredFact } from './recall-pipeline.ts';
import type { RecallRequest } from './recall-request.ts';
import type { AnswerRecall } from './recall-routes.ts';
import type { RecallTrail } from './recall-trail.ts';
import { scoredFactJson } from './scored-fact-json.ts';

export interface AnswerParts {
  readonly pipeline: PipelineParts;
  readonly factJson: FactJson;
  readonly random: Random;
  readonly names: ServiceNames;
  readonly trail: RecallTrail;
  readonly readSession: ReadSession;
  readonly sessionReads: SessionReads | undefined;
  readonly intact: IntactFacts | undefined;
  readonly chain: FactChain | undefined;
}

/** Recalls, remembers that it did, and answers as wire contract 6.1 says. */
export const createAnswerRecall =
  (parts: AnswerParts): AnswerRecall =>
  async (request, { caller, header, legacyFormat }): Promise<Reply> => {
    const sessionId = parts.readSession({ header });
    const found = await recallFacts(request, caller, parts.pipeline);
    const { recalled, list } = withinBody(await keepIntact(found, parts, caller), legacyFormat, parts.factJson);
    const recallId = parts.random.uuid();
    const queryHash = sha256Hex(request.query);
    const returned = recalled.facts.map(({ view }) => view);
    await parts.sessionReads?.returned(sessionId, caller, returned);
    await parts.trail.record(caller, recallId, queryHash);
    parts.pipeline.access.note(strongOf(recalled));
    const asks = header(parts.names.headers.verify.toLowerCase())?.trim().toLowerCase() === 'full';
    const chainProof =
      asks && mayProve(caller) && parts.chain !== undefined
        ? // What was changed behind the node's back is not answered, but breaks the chain all the same.
          await parts.chain.prove(
            caller.tenantId,
            storedOf(found).map(({ fact }) => fact),
          )
        : null;
    return reply(request, recalled, list, { recallId, queryHash, chainProof, legacyFormat });
  };

/** A proof counts every fact of the tenant, those too that other callers may not see (wire contract 6.3). */
const mayProve = ({ permissions }: Principal): boolean => permissions.has('admin') || permissions.has(AUDIT_READ.id);

const reply = (
  { tokenBudget }: RecallRequest,
  { facts, totalScored, tokensUsed, omitted, degraded }: Recalled,
  { texts }: SpelledList,
  {
    recallId,
    queryHash,
    chainProof,
    legacyFormat,
  }: { recallId: string; queryHash: string; chainProof: unknown; legacyFormat: boolean },
): Reply => {
  const instructs = (at: number): boolean => facts[at]?.view.fact.value.interpretAs === 'instruction';
  const head = {
    recall_id: recallId,
    query_hash: queryHash,
    token_budget: tokenBudget,
    tokens_used: tokensUsed,
    truncated: omitted.budget > 0,
    total_scored: totalScored,
  };
  const lists = legacyFormat
    ? { facts: texts }
    : {
        facts: texts,
        content: texts.filter((_, at) => !instructs(at)),
        instructions: texts.filter((_, at) => instructs(at)),
      };
  const tail = { omitted, degraded, tombstone_notices: [], chain_proof: chainProof };
  return { status: 200, headers: { 'X-Total-Count': String(totalScored) }, text: joinJson(head, lists, tail) };
};

/** What of a recall the body of its answer has room for: facts stand there twice, unless the caller wants them once. */
const withinBody = (
  recalled: Recalled,
  legacyFormat: boolean,
  factJson: FactJson,
): { readonly recalled: Recalled; readonly list: SpelledList } => {
  const room = legacyFormat ? LIST_BYTES : LIST_BYTES / 2;
  const list = spellList(recalled.facts, (fact) => scoredFactJson(fact, factJson), room);
  if (!list.isCut) return { recalled, list };
  const facts = recalled.facts.slice(0, list.count);
  const { contradicted, budget } = recalled.omitted;
  const omitted = { contradicted, budget: budget + recalled.facts.length - facts.length };
  return { recalled: { ...recalled, facts, tokensUsed: tokensOf(facts), omitted }, list };
};

const tokensOf = (facts: readonly ScoredFact[]): number => facts.reduce((sum, { tokens }) => sum + tokens, 0);

/** Facts stand in the answer twice, and are the most of it: each is spelled once. */
const joinJson = (head: object, lists: Readonly<Record<string, readonly string[]>>, tail: object): string => {
  const members = Object.entries(lists).map(([name, texts]) => `"${name}":[${texts.join(',')}]`);
  return `${JSON.stringify(head).slice(0, -1)},${members.join(',')},${JSON.stringify(tail).slice(1)}`;
};

/** What came along to fill the budget was not what was asked for, and its use says nothing about it. */
const strongOf = ({ facts: [best, ...rest] }: Recalled): FactView[] =>
  best === undefined
    ? []
    : [best, ...rest]
        .filter(({ score, fromCard }) => !fromCard && score >= STRONG * best.score)
        .map(({ view }) => view);

/** Share of the best score from which on a fact counts as recalled. */
const STRONG = 0.8;

/** The facts that are in the store: a card is none. */
const storedOf = ({ facts }: Recalled): FactView[] => facts.flatMap(({ view, fromCard }) => (fromCard ? [] : [view]));

/** A row that was changed behind the node's back is no fact (wire contract 4.8). */
const keepIntact = async (recalled: Recalled, { intact }: AnswerParts, caller: Principal): Promise<Recalled> => {
  if (intact === undefined) return recalled;
  const views = storedOf(recalled);
  const kept = await intact.keepIntact(views, caller);
  if (kept.length === views.length) return recalled;
  const ids = new Set(kept.map(({ fact }) => fact.id));
  const facts = recalled.facts.filter(({ view, fromCard }: ScoredFact) => fromCard || ids.has(view.fact.id));
  return {
    ...recalled,
    facts,
    tokensUsed: tokensOf(facts),
    totalScored: recalled.totalScored - (recalled.facts.length - facts.length),
  };
};
