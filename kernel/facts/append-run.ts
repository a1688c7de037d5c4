import {
  all,
  equals,
  type FactOutline,
  type Hlc,
  isIn,
  type PreparedFact,
  type Principal,
  type StoredFact,
  type WriteTransaction,
} from '../../ports/ports.ts';
import type { CollectHook, HookCaller } from '../hooks/define-hook.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';
import { turnAfter } from '../time/in-turns.ts';
import {
  type AppendBatch,
  type AppendedFact,
  type AppendItem,
  type AuthoriseBatch,
  SIBLING_LIMIT,
} from './append-api.ts';
import { appendAuthorise, appendJudge, appendSettle, factAppended } from './append-hooks.ts';
import { coversBy, ownCoverKind, reachOf } from './cover-by.ts';
import { DraftedFact, type DraftingParts } from './drafted-fact.ts';
import type { Appender, FactDraft } from './fact-draft.ts';
import { PendingItem } from './pending-item.ts';
import { stampFact } from './stamp-fact.ts';
import { recordsOf } from './write-records.ts';

const NO_SIBLINGS: readonly FactOutline[] = Object.freeze([]);

/** The maximum depth of follow-ups. Deeper ones count as a loop. */
const FOLLOW_UP_DEPTH = 3;

export interface RunParts extends DraftingParts {
  readonly nodeId: string;
  readonly hooks: HookCaller;
}

/** Checks the rights to store the items, on a snapshot or in a transaction. */
export const authorise = async (
  hooks: HookCaller,
  batch: AuthoriseBatch & { readonly items: readonly PendingItem[] },
): Promise<void> => {
  if (!hooks.hasHandlers(appendAuthorise)) return;
  await hooks.collect(appendAuthorise, batch);
  for (const item of batch.items) item.conclude();
};

/** The kernel's view of a write transaction, and the plugins' view of it. */
export interface OpenTransaction {
  readonly wide: WriteTransaction;
  readonly transaction: PluginTransaction;
  readonly nowMs: number;
}

/** The steps of an append inside its transaction, the same for every caller. */
export class AppendRun {
  /** All facts that this transaction has stored, in stamp order. */
  readonly appended: AppendedFact[] = [];
  readonly #parts: RunParts;
  readonly #wide: WriteTransaction;
  readonly #transaction: PluginTransaction;
  readonly #nowMs: number;
  readonly #node: Principal;
  readonly #siblings = new Map<string, readonly FactOutline[]>();
  #clock: Hlc | undefined;
  #stamped = false;

  constructor(parts: RunParts, { wide, transaction, nowMs }: OpenTransaction, node: Principal) {
    this.#parts = parts;
    this.#wide = wide;
    this.#transaction = transaction;
    this.#nowMs = nowMs;
    this.#node = node;
  }

  /** Checks and stores the items, then their follow-ups. Afterwards every item has its verdict. */
  async append(items: readonly PendingItem[], depth = 0): Promise<void> {
    await authorise(this.#parts.hooks, { items, snapshot: this.#transaction, nowMs: this.#nowMs });
    // Runs both in parallel, because a round trip to a database server costs as much as several statements.
    await Promise.all([this.#loadSiblings(items), this.#lockClock(items)]);
    // The transaction has the present keys from here on, and keeps them from being destroyed.
    for (const item of items) item.renewValueKey(this.#parts);
    await turnAfter(items);
    await this.#decide(appendSettle, items);
    await turnAfter(items);
    await this.#decide(appendJudge, items);
    await turnAfter(items);
    const stored = await this.#insert(items.filter((item) => item.open));
    if (stored.length === 0) return;
    this.appended.push(...stored);
    await turnAfter(stored);
    await this.#recordCovers(stored);
    const followUps = await this.#followUpsOf(stored);
    await turnAfter(stored);
    if (followUps.length === 0) return;
    if (depth === FOLLOW_UP_DEPTH)
      throw new Error(`drafts of "fact:appended" led to further drafts, more than ${FOLLOW_UP_DEPTH} levels deep`);
    const next = followUps.map((draft) => this.#followUp(draft));
    await this.append(next, depth + 1);
    for (const { verdict } of next) {
      // Throws for a refused follow-up, because it is no mistake of the caller and must not appear as a verdict on the
      // caller's fact.
      if (verdict.kind === 'rejected')
        throw new Error('a fact that follows from another was refused', { cause: verdict.error });
    }
  }

  /** Must be called once, after the last append, before the commit. */
  async saveClock(): Promise<void> {
    if (this.#stamped && this.#clock !== undefined) await this.#wide.saveClock(this.#clock);
  }

  async #lockClock(items: readonly PendingItem[]): Promise<void> {
    if (this.#clock === undefined && items.some((item) => item.open)) this.#clock = await this.#wide.lockClock();
  }

  async #decide<I extends AppendItem>(
    hook: CollectHook<AppendBatch<I>, never>,
    items: readonly (PendingItem & I)[],
  ): Promise<void> {
    const { hooks } = this.#parts;
    if (!hooks.hasHandlers(hook)) return;
    await hooks.collect(hook, {
      items,
      transaction: this.#transaction,
      nowMs: this.#nowMs,
      siblings: (item) => this.#siblingsOf(item),
    });
    for (const item of items) item.conclude();
  }

  async #insert(items: readonly PendingItem[]): Promise<AppendedFact[]> {
    const fresh = await this.#withoutStored(items);
    if (fresh.length === 0) return [];
    let clock = this.#clock;
    if (clock === undefined) throw new Error('facts are stamped under the lock of the clock');
    const facts = fresh.map(({ fact }) => {
      const stamped = stampFact(fact, clock as Hlc, this.#nowMs);
      clock = stamped.feed;
      return stamped;
    });
    this.#clock = clock;
    this.#stamped = true;
    const writers = fresh.map(({ caller, tags }) => ({ caller, tags }));
    const records = await recordsOf(facts, writers, this.#transaction, this.#parts);
    await turnAfter(facts);
    await this.#wide.insert(facts, records);
    return fresh.map((item, at) => {
      const fact = facts[at] as StoredFact;
      item.store(fact);
      const { tripleId, caller, origin, notes } = item;
      return { fact, tripleId, caller, origin, notes };
    });
  }

  /** Returns the items whose facts are not stored yet. Only an id that came with its fact can exist already. */
  async #withoutStored(items: readonly PendingItem[]): Promise<readonly PendingItem[]> {
    const given = items.filter(({ hasNewId }) => !hasNewId);
    if (given.length === 0) return items;
    const { tenantId } = (given[0] as PendingItem).fact;
    const ids = [...new Set(given.map(({ fact }) => fact.id))];
    const filter = all(equals('tenantId', tenantId), isIn('id', ids));
    const stored = await this.#transaction.find({ filter, order: 'feed', limit: ids.length });
    const known = new Map(stored.map((fact) => [fact.id, fact]));
    const first = new Map<string, PendingItem>();
    for (const item of given) {
      const twin = known.get(item.fact.id);
      const earlier = first.get(item.fact.id);
      if (twin !== undefined) item.answerWith(twin);
      else if (earlier === undefined) first.set(item.fact.id, item);
      else item.share(earlier);
    }
    return items.filter((item) => item.open);
  }

  async #recordCovers(stored: readonly AppendedFact[]): Promise<void> {
    const covers = stored.flatMap((appended) => {
      const { fact } = appended;
      const kind = ownCoverKind(fact);
      if (kind === undefined) return [];
      return coversBy(fact, { kind, since: fact.feed, speaker: reachOf(appended) }, this.#parts.nodeId);
    });
    if (covers.length > 0) await this.#transaction.cover(covers);
  }

  async #followUpsOf(stored: readonly AppendedFact[]): Promise<FactDraft[]> {
    const { hooks } = this.#parts;
    if (!hooks.hasHandlers(factAppended)) return [];
    const results = await hooks.collect(factAppended, {
      facts: stored,
      transaction: this.#transaction,
      nowMs: this.#nowMs,
      siblings: (appended) => this.#siblingsOf(appended),
    });
    return results.flat();
  }

  #followUp(draft: FactDraft): PendingItem {
    const appender: Appender = { caller: this.#node, origin: 'plugin' };
    return new PendingItem(
      new DraftedFact(draft, appender, this.#parts.names).prepare(this.#parts, this.#nowMs),
      appender,
    );
  }

  /**
   * Reads the siblings of all items before any of them is stored, because later the result would contain these items.
   * Skips system facts, which have no siblings.
   */
  async #loadSiblings(items: readonly PendingItem[]): Promise<void> {
    const missing = new Map<string, PreparedFact>();
    for (const { fact, tripleId } of items) {
      if (!fact.system && !this.#siblings.has(tripleId)) missing.set(tripleId, fact);
    }
    if (missing.size === 0) return;
    const found = await this.#transaction.siblings([...missing.values()], this.#nowMs, SIBLING_LIMIT);
    let at = 0;
    for (const id of missing.keys()) this.#siblings.set(id, found[at++] ?? []);
  }

  #siblingsOf({ tripleId }: { readonly tripleId: string }): readonly FactOutline[] {
    return this.#siblings.get(tripleId) ?? NO_SIBLINGS;
  }
}
