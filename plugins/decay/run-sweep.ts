import { type LedgerPiece, ledgerPieces } from '../../kernel/internal-api.ts';
import {
  type AppendVerdict,
  type Clock,
  type FactDraft,
  type Facts,
  formatInstant,
  type NodeSelf,
  nodePrincipal,
  noted,
  type PluginTransaction,
  type Principal,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { RequesterNote } from '../facts/facts-api.ts';
import type { SweepResult } from './decay-api.ts';
import { type DecayingFact, openSelection, type SelectionParts, selectIn, stillSelected } from './select-facts.ts';
import type { SweepRules } from './sweep-rules.ts';

/** The number of facts per transaction: small, so that other writers never wait long. */
const GROUP_FACTS = 256;

export interface SweepParts extends SelectionParts {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly self: NodeSelf;
}

/** The progress of a sweep. Plain JSON, because jobs store it. */
export interface SweepState extends SweepResult {
  /** The sweep has covered the ledger up to this number. */
  readonly above: number;
  /** Later facts were added after the sweep began, and are not swept. */
  readonly upTo: number;
}

/** The hooks of a sweep's owner, such as a job. */
export interface SweepOwner {
  readonly signal: AbortSignal;
  /** Runs first in each transaction. A ServiceError cancels the transaction. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /** Runs last in each transaction, with the progress after its commit. */
  beforeCommit?(transaction: PluginTransaction, state: SweepState): Promise<void>;
  /** Called after each piece. */
  reached?(state: SweepState): void;
}

/** The initial state of a sweep over the present ledger. */
export const beginSweep = async ({ facts }: SweepParts, caller: Principal): Promise<SweepState> =>
  facts.read(caller, 'query', async ({ snapshot }) => {
    const { number: upTo } = await snapshot.ledgerHead(caller.tenantId);
    return { above: 0, upTo, scanned: 0, decayed: 0 };
  });

/** Counts the facts that a sweep would end, on one snapshot and with the same selection. */
export const trySweep = (
  parts: SweepParts,
  caller: Principal,
  rules: SweepRules,
  signal: AbortSignal,
): Promise<SweepResult> =>
  parts.facts.read(caller, 'query', async (reader) => {
    const selection = await openSelection(reader, rules, parts);
    const { number: upTo } = await reader.snapshot.ledgerHead(caller.tenantId);
    const counts = { scanned: 0, decayed: 0 };
    for await (const piece of ledgerPieces(caller.tenantId, { upTo })) {
      // The caller has disconnected.
      if (signal.aborted) break;
      const { scanned, decaying } = await selectIn(reader, selection, piece);
      counts.scanned += scanned;
      counts.decayed += decaying.length;
    }
    return counts;
  });

/** Ends the facts that match the rules, in small transactions. Continues from the given state. */
export const runSweep = async (
  parts: SweepParts,
  caller: Principal,
  rules: SweepRules,
  from: SweepState,
  owner: SweepOwner,
): Promise<SweepResult> => {
  let state = from;
  const end = (facts: readonly DecayingFact[]) => endFacts(parts, { caller, rules, owner, state }, facts);
  for await (const piece of ledgerPieces(caller.tenantId, from)) {
    if (owner.signal.aborted) break;
    const before = state;
    const { scanned, decaying } = await select(parts, caller, rules, piece);
    for (let at = 0; at < decaying.length && !owner.signal.aborted; at += GROUP_FACTS) {
      state = await end(decaying.slice(at, at + GROUP_FACTS));
    }
    if (owner.signal.aborted) break;
    state = { ...state, above: piece.below - 1, scanned: before.scanned + scanned };
    owner.reached?.(state);
  }
  return { scanned: state.scanned, decayed: state.decayed };
};

const select = (parts: SweepParts, caller: Principal, rules: SweepRules, piece: LedgerPiece) =>
  parts.facts.read(caller, 'query', async (reader) =>
    selectIn(reader, await openSelection(reader, rules, parts), piece),
  );

interface Group {
  readonly caller: Principal;
  readonly rules: SweepRules;
  readonly owner: SweepOwner;
  readonly state: SweepState;
}

/**
 * Ends the facts in one transaction, which first checks that none of them has ended. If another sweep has ended some,
 * it tries again with the rest, so that each fact is ended once.
 */
const endFacts = async (
  parts: SweepParts,
  { caller, rules, owner, state }: Group,
  facts: readonly DecayingFact[],
): Promise<SweepState> => {
  const { self, clock } = parts;
  const node = nodePrincipal(self.names, caller.tenantId);
  let wanted = facts;
  while (wanted.length > 0) {
    const asked = wanted;
    let left = asked;
    let after = state;
    const verdicts = await parts.facts.appendAll(
      asked.map((fact) => endOf(fact, caller, self, clock.nowMs())),
      node,
      {
        origin: 'plugin',
        unmarked: true,
        exclusive: true,
        async guard(transaction) {
          await owner.guard?.(transaction);
          left = await parts.facts.readIn(transaction, caller, 'query', async (reader) =>
            stillSelected(reader, await openSelection(reader, rules, parts), asked),
          );
          if (left.length < asked.length) throw new ServiceError('conflict', 'some of the facts have ended meanwhile');
        },
        async beforeCommit(transaction, stored) {
          after = withEnded(state, stored);
          if (after.decayed > state.decayed) await owner.beforeCommit?.(transaction, after);
        },
      },
    );
    const failure = verdicts.find((verdict) => verdict.kind === 'rejected' && verdict.error.status >= 500);
    if (failure?.kind === 'rejected') throw failure.error;
    if (left.length === asked.length) return after;
    wanted = left;
  }
  return state;
};

/**
 * Counts ended facts immediately: after a crash, the sweep reads their part of the ledger again, but no longer finds
 * them.
 */
const withEnded = (state: SweepState, verdicts: readonly AppendVerdict[]): SweepState => {
  const ended = verdicts.filter(({ kind }) => kind === 'stored').length;
  return { ...state, scanned: state.scanned + ended, decayed: state.decayed + ended };
};

/** Makes the fact that ends another one, in the same place, so that its readers see both. */
const endOf = (
  { factId, scope, gardenId }: DecayingFact,
  caller: Principal,
  { names }: NodeSelf,
  nowMs: number,
): FactDraft => ({
  entity: names.factEntity(factId),
  relation: names.meta('ttl'),
  value: { type: 'datetime', v: formatInstant(nowMs), interpretAs: 'content' },
  source: names.systemSource,
  confidence: 1,
  scope,
  gardenId,
  // The checks of entity owners apply to the caller, but not to the node's own sweeps.
  notes: caller.kind === 'node' ? undefined : noted(RequesterNote, caller.entityUri),
});
