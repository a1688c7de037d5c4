import { inTurns, isTooFarAhead, type NameRules, nameKeys, parseHlc } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type Hlc,
  matchKey,
  type NodeSelf,
  type PluginTables,
  parseInstant,
  type Random,
} from '../../../kernel/plugin-api.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { FederatedFact, OriginProofs, ProofVerdict, RenewedProof } from '../proofs/origin-proof.ts';
import type { Ingest, IngestVerdict, JudgedPage, ParkReason, Rejection } from './ingest.ts';
import { readNamesakes } from './namesakes.ts';
import type { OwnNames } from './own-names.ts';
import { type JudgedArrival, PageSettlement, withFreeIds } from './page-settlement.ts';
import { type ReadOptions, readFact } from './read-fact.ts';
import { createSourceOwners, type SourceOwners } from './source-owners.ts';

export interface JudgeParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly peerings: Pick<Peerings, 'active' | 'withNodes'>;
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
  const { tenantId } = page.peering;
  const refusals = new Map<number, IngestVerdict>();
  const wellFormed: Omit<JudgedArrival, 'proof'>[] = [];
  const keyOf = (nodeId: string): string => matchKey(nodeId, parts.self.names);
  const senderKey = keyOf(page.peering.nodeId);
  const judge = (input: unknown, at: number): void => {
    const judged = judgeForm(input, page, parts);
    if ('fact' in judged) {
      const { fact } = judged;
      wellFormed.push({ at, fact, senderKey, originKey: keyOf(fact.originNodeId ?? page.peering.nodeId) });
    } else refusals.set(at, { kind: 'rejected', ...judged });
  };
  await inTurns(page.facts, judge, charactersOf);
  const ids = [...new Set(wellFormed.map(({ fact }) => fact.draft.id))];
  const namesakes = await parts.tables.read((_own, snapshot) => readNamesakes(ids, tenantId, snapshot, parts));
  const settlement = new PageSettlement(namesakes, page.facts.length);
  for (const [at, refusal] of refusals) settlement.verdicts[at] = refusal;
  const open: typeof wellFormed = [];
  const compare = (one: (typeof wellFormed)[number]): void => {
    if (!settlement.settleKnown(one)) open.push(one);
  };
  await inTurns(wellFormed, compare, ({ fact }) => charactersOf(fact.draft));
  await settleOpen(open, settlement, page, parts);
  const renewed = await findRenewed(settlement, page, parts.proofs);
  const candidates = await withFreeIds(settlement.candidates, tenantId, parts);
  return { ...settlement, candidates, renewed };
};

/** Verifies the proofs of the facts that are not known yet, and decides about these facts. */
const settleOpen = async (
  open: readonly Omit<JudgedArrival, 'proof'>[],
  settlement: PageSettlement,
  page: JudgeablePage,
  parts: JudgeParts,
): Promise<void> => {
  if (open.length === 0) return;
  const { tenantId } = page.peering;
  const facts = open.map(({ fact }) => fact);
  const proved = await judgeProofs(facts, page, parts.proofs);
  const gardenId = facts.some(isInstruction) ? await parts.quarantineGarden(tenantId) : null;
  const owners = await createSourceOwners(
    facts.map(({ draft }) => draft.source),
    tenantId,
    parts,
  );
  const arrivals = open.map((one, index): JudgedArrival => ({ ...one, proof: proved[index] as ProofVerdict }));
  // Proven facts come first, because they decide about the unproven facts with the same ids.
  for (const isProven of [true, false]) {
    for (const arrival of arrivals) {
      if ((arrival.proof === 'verified') !== isProven) continue;
      const refusal = settlement.repeats(arrival) ? undefined : refuseOrigin(arrival, owners, page, parts);
      if (refusal !== undefined) settlement.verdicts[arrival.at] = refusal;
      else {
        const isHeld = isInstruction(arrival.fact);
        settlement.settle(arrival, refuseFact(arrival.fact, gardenId, page, parts), isHeld ? gardenId : null);
      }
    }
  }
};

/** Returns the length of the value in characters, which may be large. */
const charactersOf = (input: unknown): number => {
  const v = (input as { readonly value?: { readonly v?: unknown } | null } | null | undefined)?.value?.v;
  return typeof v === 'string' ? v.length : 0;
};

const judgeForm = (
  input: unknown,
  { scopes, peering }: JudgeablePage,
  { reading, nameRules, self, own }: JudgeParts,
): { readonly fact: FederatedFact } | Omit<Extract<IngestVerdict, { kind: 'rejected' }>, 'kind'> => {
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
  if (!nameRules().isSystem(keys) && nameRules().refusalOf(keys) === null) return read;
  const { originNodeId } = read.fact;
  const isPassedOn = originNodeId !== null && originNodeId !== peering.nodeId;
  return { factId, error: 'reserved_namespace', isPassedOn };
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

/**
 * Finds newer proofs of known facts. Parks facts whose proof was made by an unknown key, because the proof would
 * otherwise be lost.
 */
const findRenewed = async (
  { known, verdicts }: PageSettlement,
  page: JudgeablePage,
  proofs: OriginProofs,
): Promise<readonly RenewedProof[]> => {
  const first = await proofs.renewals(known, page.peering);
  if (first.unknown.length === 0 || page.refreshKeys === undefined) return first.renewed;
  const nodeIds = [...new Set(first.unknown.map(({ fact }) => fact.originNodeId ?? page.peering.nodeId))];
  const again = await proofs.renewals(first.unknown, await page.refreshKeys(nodeIds));
  for (const { at, fact } of again.unknown) {
    if (page.via === 'pull') verdicts[at] = parked(fact.draft, 'unknown_key', 'invalid_origin_proof', page.via);
  }
  return [...first.renewed, ...again.renewed];
};

const isInstruction = ({ draft }: FederatedFact): boolean => draft.value.interpretAs === 'instruction';

/** Refuses a fact whose sender may not assert it, or that its origin has not signed. */
const refuseOrigin = (
  { fact: { draft, originNodeId }, proof, originKey, senderKey }: JudgedArrival,
  owners: SourceOwners,
  { via, peering }: JudgeablePage,
  { own }: JudgeParts,
): IngestVerdict | undefined => {
  const isPassedOn = originKey !== senderKey;
  const rejected = (error: Rejection): IngestVerdict => ({ kind: 'rejected', factId: draft.id, error, isPassedOn });
  const isOurs = own.isOwnNode(originNodeId ?? peering.nodeId) || own.isOwnSource(draft.source);
  // A fact of this node may return, for example after a restore, if its own signature verifies.
  if (isOurs && !(proof === 'verified' && own.isOwnNode(originNodeId ?? ''))) return rejected('source_not_owned');
  if (proof === 'invalid' || proof === 'missing' || proof === 'ended-key') return rejected('invalid_origin_proof');
  if (proof === 'unknown-key') return parked(draft, 'unknown_key', 'invalid_origin_proof', via);
  const owner = owners(draft.source);
  // A fact that its own origin sends needs no proof, because the peer token identifies the origin.
  const isOwners = owner === originKey && (proof === 'verified' || owner === senderKey);
  return owner === undefined || isOwners ? undefined : rejected('source_not_owned');
};

/** Refuses a fact that this node accepts from no node. */
const refuseFact = (
  fact: FederatedFact,
  gardenId: string | null,
  { via }: JudgeablePage,
  { clock, maxStampLeadMs }: JudgeParts,
): IngestVerdict | undefined => {
  const { draft } = fact;
  const stamp = parseHlc(draft.hlcText) as Hlc;
  const rejected = (error: Rejection): IngestVerdict => ({ kind: 'rejected', factId: draft.id, error });
  if (stamp.counter > COUNTER_LIMIT) return rejected('hlc_skew');
  // Checks the timestamp as well, because lists and cards show the newest facts first.
  if (isTooFarAhead({ ...stamp, wallMs: latestOf(draft) }, clock.nowMs(), maxStampLeadMs)) {
    return parked(draft, 'hlc_skew', 'hlc_skew', via);
  }
  return isInstruction(fact) && gardenId === null ? rejected('instruction_rejected') : undefined;
};

/** Returns the result for a fact to retry later. Only a pull can park facts; a push gets a refusal. */
const parked = (
  draft: FederatedFact['draft'],
  reason: ParkReason,
  error: Rejection,
  via: JudgeablePage['via'],
): IngestVerdict => {
  const { id: factId } = draft;
  if (via === 'push') return { kind: 'rejected', factId, error };
  return { kind: 'parked', factId, reason, stampMs: latestOf(draft) };
};

/** Returns the later one of stamp and timestamp, in milliseconds. */
const latestOf = ({ hlcText, timestamp }: FederatedFact['draft']): number =>
  Math.max((parseHlc(hlcText) as Hlc).wallMs, parseInstant(timestamp) ?? 0);
