import {
  all,
  type Clock,
  type Cover,
  defineRef,
  equals,
  isIn,
  type PreparedFact,
  ServiceError,
  type StoredFact,
} from '../../ports/ports.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { nodePrincipal } from '../identity/node-principal.ts';
import { wideTransaction } from '../store/narrow-transaction.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';
import { isTooFarAhead, parseHlc } from '../time/hybrid-logical-clock.ts';
import { factRestored } from './append-hooks.ts';
import { coversBy } from './cover-by.ts';
import type { FactDraft } from './fact-draft.ts';
import { storedValueKey } from './fact-value.ts';
import { nameKeys } from './match-key.ts';
import { type PreparingParts, prepareFact } from './prepare-fact.ts';
import { stampFact } from './stamp-fact.ts';
import { recordsOf } from './write-records.ts';

/** A fact from another store, with all members that cannot be computed. */
export interface RestorableFact {
  readonly draft: FactDraft & { readonly id: string; readonly hlcText: string };
  readonly assertedBy: string | null;
  /** The content id that the other store computed. */
  readonly cid: string;
  /** The covers by which the fact ends older facts of its triple; null when it ends none. */
  readonly cover: Pick<Cover, 'kind' | 'speaker'> | null;
}

/** A checked fact from another store, with all computed members. */
export interface CheckedFact {
  readonly fact: PreparedFact;
  readonly cover: RestorableFact['cover'];
}

/**
 * The result for a fact. `known`: it was stored before and stays unchanged, even if erased. `taken`: another fact has
 * its identifier.
 */
export type RestoreVerdict = 'stored' | 'known' | 'taken';

/**
 * Restores facts of another store, without the phases of an append, because their follow-ups come with them. It only
 * adds links, by `append:link`, and rows of this store, by `fact:restored`. For plugins that move or restore a store,
 * never for requests of clients.
 */
export interface FactRestore {
  /**
   * Checks a fact. Throws `validation` for an invalid stamp, for a stamp far ahead of physical time, and for a content
   * id that does not match.
   */
  check(fact: RestorableFact, tenantId: string): CheckedFact;
  /** Checks a stamp without a fact in the same way. */
  checkStamp(text: string): void;
  /**
   * Stores facts with their identifiers and origin stamps. They get new feed stamps, in the order of the facts. Returns
   * a verdict for each, in order.
   */
  insert(transaction: PluginTransaction, facts: readonly CheckedFact[]): Promise<readonly RestoreVerdict[]>;
}

export const FactRestore = defineRef<FactRestore>('kernel.fact-restore');

/**
 * The maximum milliseconds by which a stamp may be ahead. A damaged stamp would otherwise set the node's clock far into
 * the future, from where it cannot return.
 */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

export interface RestoreParts extends PreparingParts {
  readonly nodeId: string;
  readonly hooks: HookCaller;
  readonly clock: Clock;
}

export const createFactRestore = ({ clock, ...parts }: RestoreParts): FactRestore => ({
  check({ draft, assertedBy, cid, cover }, tenantId) {
    checkStamp(draft.hlcText, clock.nowMs());
    const origin = { caller: nodePrincipal(parts.names, tenantId), origin: 'peer' } as const;
    const prepared = prepareFact(draft, nameKeys(draft, parts.names), origin, parts);
    if (prepared.cid === cid) return { fact: { ...prepared, assertedBy }, cover };
    throw invalid('the fact does not match its content identifier: the file was changed or damaged');
  },
  checkStamp: (text) => checkStamp(text, clock.nowMs()),
  insert: (transaction, facts) => insertFacts(transaction, facts, clock.nowMs(), parts),
});

const checkStamp = (text: string, nowMs: number): void => {
  const hlc = parseHlc(text);
  if (hlc === null) throw invalid('hlc is not a stamp');
  if (isTooFarAhead(hlc, nowMs, MAX_AHEAD_MS)) {
    throw invalid('hlc is more than a day ahead of the clock of this machine');
  }
};

const insertFacts = async (
  transaction: PluginTransaction,
  facts: readonly CheckedFact[],
  nowMs: number,
  { names, nodeId, random, hooks, seal }: Omit<RestoreParts, 'clock'>,
): Promise<RestoreVerdict[]> => {
  const [first] = facts;
  if (first === undefined) return [];
  const { tenantId } = first.fact;
  const ids = facts.map(({ fact }) => fact.id);
  const wide = wideTransaction(transaction);
  const stored = await wide.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const known = new Map<string, Pick<PreparedFact, 'cid'>>(stored.map((fact) => [fact.id, fact]));
  const fresh: CheckedFact[] = [];
  const verdicts = facts.map((checked): RestoreVerdict => {
    const { id, cid } = checked.fact;
    const twin = known.get(id);
    if (twin !== undefined) return twin.cid === cid || twin.cid === '' ? 'known' : 'taken';
    known.set(id, checked.fact);
    fresh.push(checked);
    return 'stored';
  });
  if (fresh.length === 0) return verdicts;
  let clock = await wide.lockClock();
  const stamped = fresh.map(({ fact }): StoredFact => {
    // Made anew, because the key of a digest may have been destroyed since the check.
    const valueKey = seal === undefined ? fact.valueKey : storedValueKey(fact, { names, seal });
    const next = stampFact({ ...fact, valueKey }, clock, nowMs);
    clock = next.feed;
    return next;
  });
  const writer = { caller: nodePrincipal(names, tenantId), tags: [] };
  const writers = stamped.map(() => writer);
  const records = await recordsOf(stamped, writers, transaction, { random, hooks });
  await wide.insert(stamped, records);
  await wide.saveClock(clock);
  await wide.cover(
    stamped.flatMap((fact, at) => {
      const cover = fresh[at]?.cover ?? null;
      return cover === null ? [] : coversBy(fact, { ...cover, since: fact.feed }, nodeId);
    }),
  );
  if (hooks.hasHandlers(factRestored)) await hooks.collect(factRestored, { facts: stamped, transaction });
  return verdicts;
};

const invalid = (message: string): ServiceError => new ServiceError('validation', message);
