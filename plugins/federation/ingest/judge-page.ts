import { inTurns, isTooFarAhead, type NameRules, nameKeys } from '../../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  equals,
  type FactOutline,
  type Hlc,
  isIn,
  type NodeSelf,
  type PluginTables,
  parseHlc,
  parseInstant,
} from '../../../kernel/plugin-api.ts';
import type { FederatedFact, OriginProofs, ProofVerdict } from '../proofs/origin-proof.ts';
import type { Candidate, Ingest, IngestVerdict, JudgedPage, ParkReason, Rejection } from './ingest.ts';
import type { OwnNames } from './own-names.ts';
import { type ReadOptions, readFact } from './read-fact.ts';
import { isSameTuple, wouldExtend } from './same-tuple.ts';

export interface JudgeParts {
  readonly clock: Clock;
  readonly tables: PluginTables;
  readonly self: NodeSelf;
  readonly own: OwnNames;
  readonly proofs: OriginProofs;
  readonly reading: ReadOptions;
  /** The maximum time by which a stamp may lie in the future, as the kernel limits it. */
  readonly maxStampLeadMs: number;
  nameRules(): NameRules;
  /** Returns the UUID of the garden that holds instructions of peers until they are approved; null without one. */
  quarantineGarden(tenantId: string): Promise<string | null>;
}

/** The maximum counter of a received stamp. A larger one could exhaust the counter of this node's clock. */
const COUNTER_LIMIT = 2 ** 20;

type JudgeablePage = Parameters<Ingest['judge']>[0];

/** Checks each fact separately, before any transaction. Reads the store once for the whole page. */
export const judgePage = async (page: JudgeablePage, parts: JudgeParts): Promise<JudgedPage> => {
  const verdicts: (IngestVerdict | undefined)[] = new Array(page.facts.length).fill(undefined);
  const wellFormed: { readonly at: number; readonly fact: FederatedFact }[] = [];
  const judge = (input: unknown, at: number): void => {
    const judged = judgeForm(input, page, parts);
    if ('fact' in judged) wellFormed.push({ at, fact: judged.fact });
    else verdicts[at] = { kind: 'rejected', ...judged };
  };
  await inTurns(page.facts, judge, charactersOf);
  const extended: string[] = [];
  const known = await knownFacts(wellFormed, page.peering.tenantId, parts.tables);
  const unknown: typeof wellFormed = [];
  const compare = (one: (typeof wellFormed)[number]): void => {
    const { draft } = one.fact;
    const stored = known.get(draft.id);
    if (stored === undefined) {
      unknown.push(one);
      return;
    }
    const verdict = verdictOfKnown(stored, draft);
    verdicts[one.at] = verdict;
    if (verdict.kind === 'known' && wouldExtend(stored, draft)) extended.push(draft.id);
  };
  await inTurns(wellFormed, compare, ({ fact }) => charactersOf(fact.draft));
  const proved = await judgeProofs(
    unknown.map(({ fact }) => fact),
    page,
    parts.proofs,
  );
  const gardenId = unknown.some(({ fact }) => isInstruction(fact))
    ? await parts.quarantineGarden(page.peering.tenantId)
    : null;
  const candidates: Candidate[] = [];
  for (const [index, { at, fact }] of unknown.entries()) {
    const proof = proved[index] as ProofVerdict;
    const verdict = judgeUnknown(fact, proof, gardenId, page, parts);
    if (verdict === undefined) {
      candidates.push({ at, fact, proof, gardenId: isInstruction(fact) ? gardenId : null });
    } else verdicts[at] = verdict;
  }
  return { verdicts, candidates, extended };
};

/** Returns the length of the value in characters, which may be large. */
const charactersOf = (input: unknown): number => {
  const v = (input as { readonly value?: { readonly v?: unknown } | null } | null | undefined)?.value?.v;
  return typeof v === 'string' ? v.length : 0;
};

/** Returns the result for a fact whose id is stored already. */
export const verdictOfKnown = (
  stored: Pick<FactOutline, 'cid' | 'timestampMs' | 'hlc' | 'derivedFrom' | 'validUntilMs'>,
  draft: FederatedFact['draft'],
): IngestVerdict =>
  isSameTuple(stored, draft)
    ? { kind: 'known', factId: draft.id }
    : { kind: 'rejected', factId: draft.id, error: 'id_collision' };

const judgeForm = (
  input: unknown,
  { scopes, peering }: JudgeablePage,
  { reading, nameRules, self, own }: JudgeParts,
): { readonly fact: FederatedFact } | { readonly factId: string; readonly error: Rejection } => {
  const read = readFact(input, reading);
  if ('error' in read) return read;
  const { draft } = read.fact;
  const factId = draft.id;
  if (read.isInGarden) return { factId, error: 'garden_not_federated' };
  if (!scopes.has(draft.scope) || isPassedOnWithoutGrant(read.fact, peering, own)) {
    return { factId, error: 'scope_not_permitted' };
  }
  if (!read.cidFits) return { factId, error: 'cid_mismatch' };
  const keys = nameKeys(draft, self.names);
  if (nameRules().isSystem(keys) || nameRules().refusalOf(keys) !== null)
    return { factId, error: 'reserved_namespace' };
  return read;
};

/**
 * Returns true for a company fact of another origin than the sender, because the origin's grant to the sender does not
 * include this node. A fact of this node may return.
 */
const isPassedOnWithoutGrant = (
  { draft, originNodeId }: FederatedFact,
  { nodeId }: JudgeablePage['peering'],
  own: OwnNames,
): boolean =>
  draft.scope === 'company' && originNodeId !== null && originNodeId !== nodeId && !own.isOwnNode(originNodeId);

const knownFacts = async (
  facts: readonly { readonly fact: FederatedFact }[],
  tenantId: string,
  tables: PluginTables,
): Promise<ReadonlyMap<string, FactOutline>> => {
  if (facts.length === 0) return new Map();
  const ids = [...new Set(facts.map(({ fact }) => fact.draft.id))];
  const found = await tables.read((_own, snapshot) =>
    snapshot.outline(all(equals('tenantId', tenantId), isIn('id', ids))),
  );
  return new Map(found.map((fact) => [fact.id, fact]));
};

const judgeProofs = async (
  facts: readonly FederatedFact[],
  page: JudgeablePage,
  proofs: OriginProofs,
): Promise<readonly ProofVerdict[]> => {
  if (facts.length === 0) return [];
  const first = await proofs.judge(facts, page.peering);
  const late = facts.filter((_, at) => first[at] === 'unknown-key');
  if (late.length === 0 || page.refreshKeys === undefined) return first;
  const nodeIds = [...new Set(late.map(({ originNodeId }) => originNodeId ?? page.peering.nodeId))];
  const again = await proofs.judge(late, await page.refreshKeys(nodeIds));
  let at = 0;
  return first.map((verdict) => (verdict === 'unknown-key' ? (again[at++] as ProofVerdict) : verdict));
};

const isInstruction = ({ draft }: FederatedFact): boolean => draft.value.interpretAs === 'instruction';

const judgeUnknown = (
  fact: FederatedFact,
  proof: ProofVerdict,
  gardenId: string | null,
  { via, peering }: JudgeablePage,
  { own, clock, maxStampLeadMs }: JudgeParts,
): IngestVerdict | undefined => {
  const { draft, originNodeId } = fact;
  const stamp = parseHlc(draft.hlcText) as Hlc;
  const latestMs = Math.max(stamp.wallMs, parseInstant(draft.timestamp) ?? 0);
  const rejected = (error: Rejection): IngestVerdict => ({ kind: 'rejected', factId: draft.id, error });
  const parked = (reason: ParkReason, error: Rejection): IngestVerdict =>
    via === 'pull' ? { kind: 'parked', factId: draft.id, reason, stampMs: latestMs } : rejected(error);
  const isOurs = own.isOwnNode(originNodeId ?? peering.nodeId) || own.isOwnSource(draft.source);
  // A fact of this node may return, for example after a restore, if its own signature verifies.
  if (isOurs && !(proof === 'verified' && own.isOwnNode(originNodeId ?? ''))) return rejected('source_not_owned');
  if (proof === 'invalid' || proof === 'missing') {
    // A relay that does not know the origin's keys cannot detect a forgery, so it is not counted as the relay's fault.
    const isPassedOn = originNodeId !== null && originNodeId !== peering.nodeId;
    return { kind: 'rejected', factId: draft.id, error: 'invalid_origin_proof', isPassedOn };
  }
  if (proof === 'unknown-key') return parked('unknown_key', 'invalid_origin_proof');
  if (stamp.counter > COUNTER_LIMIT) return rejected('hlc_skew');
  // Bounds the timestamp as well, because lists and cards show the newest facts first.
  if (isTooFarAhead({ ...stamp, wallMs: latestMs }, clock.nowMs(), maxStampLeadMs))
    return parked('hlc_skew', 'hlc_skew');
  return isInstruction(fact) && gardenId === null ? rejected('instruction_rejected') : undefined;
};
