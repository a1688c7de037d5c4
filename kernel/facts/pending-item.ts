import type { PreparedFact, Principal, ServiceError, StoredFact } from '../../ports/ports.ts';
import { compareHlc } from '../time/hybrid-logical-clock.ts';
import type { AppendItem, Check, RefusableItem, SettleableItem } from './append-api.ts';
import type { PreparedItem } from './drafted-fact.ts';
import { type Appender, isByClient, type Notes, type Origin } from './fact-draft.ts';
import { storedValueKey, type ValueKeyParts } from './fact-value.ts';
import { firstRefusal, type Refusal } from './refusal-order.ts';
import { tripleId } from './triple-id.ts';

const TAG = /^[a-z][a-z0-9-]{0,31}$/;
const NO_TAGS: string[] = [];

/** The outcome of an item: the fact that answers it, or its refusal. */
export type ItemVerdict =
  | { readonly kind: 'stored'; readonly fact: StoredFact; readonly existing: boolean }
  | { readonly kind: 'rejected'; readonly error: ServiceError };

/**
 * A fact during its transaction. Decisions take effect at the end of their phase, so that no handler sees another
 * handler's decision of the same phase.
 */
export class PendingItem implements RefusableItem, SettleableItem {
  readonly tripleId: string;
  readonly caller: Principal;
  readonly origin: Origin;
  readonly notes: Notes | undefined;
  readonly path: string;
  /** True when the node generated the id, so that no other fact has it. */
  readonly hasNewId: boolean;
  /** The warnings that the caller gets with the fact. */
  readonly warnings: readonly string[];
  #verdict: ItemVerdict | undefined;
  #leader: PendingItem | undefined;
  #refusal: Refusal | undefined;
  #existing: StoredFact | undefined;
  #follows: PendingItem | undefined;
  #tags: string[] = NO_TAGS;
  #fact: PreparedFact;
  #sealVersion: number | undefined;

  constructor(
    { fact, sealVersion, notes, path, hasNewId, warnings, refusal }: PreparedItem,
    { caller, origin }: Appender,
  ) {
    this.#fact = fact;
    this.#sealVersion = sealVersion;
    this.tripleId = tripleId(fact);
    this.caller = caller;
    this.origin = origin;
    this.notes = notes;
    this.path = path;
    this.hasNewId = hasNewId;
    this.warnings = warnings;
    if (refusal !== undefined) this.refuse(refusal);
  }

  get fact(): PreparedFact {
    return this.#fact;
  }

  /** Makes the value key anew if keys were destroyed since, because its own may be among them. */
  renewValueKey(parts: ValueKeyParts): void {
    const version = parts.seal?.version;
    if (version === this.#sealVersion) return;
    this.#sealVersion = version;
    this.#fact = { ...this.#fact, valueKey: storedValueKey(this.#fact, parts) };
  }

  get byClient(): boolean {
    return isByClient(this);
  }

  get open(): boolean {
    return this.#verdict === undefined && this.#leader === undefined;
  }

  get verdict(): ItemVerdict {
    if (this.#leader !== undefined) {
      const verdict = this.#leader.verdict;
      return verdict.kind === 'stored' ? { ...verdict, existing: true } : verdict;
    }
    if (this.#verdict === undefined) throw new Error('an item was left without a verdict');
    return this.#verdict;
  }

  /** The refusal of the item; undefined without one. */
  get refusal(): ServiceError | undefined {
    return this.#verdict?.kind === 'rejected' ? this.#verdict.error : undefined;
  }

  reject(error: ServiceError, check: Check = 'other'): void {
    this.#refusal = firstRefusal(this.#refusal, { error, check });
  }

  /** Answers with a stored fact. Of several, the first stored one wins. */
  settle(existing: StoredFact): void {
    const known = this.#existing;
    if (known === undefined || compareHlc(existing.feed, known.feed) < 0) this.#existing = existing;
  }

  /**
   * Gives the item the outcome of an earlier item, unless a stored fact answers it. Of several earlier items it takes
   * the one with the lowest fact id, so that the order of calls does not matter.
   */
  follow(earlier: AppendItem): void {
    if (!(earlier instanceof PendingItem) || earlier === this) return;
    const known = this.#follows;
    if (known === undefined || earlier.fact.id < known.fact.id) this.#follows = earlier;
  }

  tag(name: string): void {
    if (!TAG.test(name)) throw new Error(`${JSON.stringify(name)} is no tag: tags match ${TAG.source}`);
    this.#tags = [...this.#tags, name];
  }

  get tags(): readonly string[] {
    return this.#tags;
  }

  /** Adopts the outcome of an equal item of the same transaction. */
  share(earlier: PendingItem): void {
    this.#leader = earlier;
  }

  /** Ends a phase: the decisions of its handlers become the verdict, unless there was one before. */
  conclude(): void {
    if (!this.open) return;
    if (this.#refusal !== undefined) this.refuse(this.#refusal.error);
    else if (this.#existing !== undefined) this.answerWith(this.#existing);
    else this.#leader = this.#follows;
  }

  refuse(error: ServiceError): void {
    if (this.open) this.#verdict = { kind: 'rejected', error };
  }

  answerWith(fact: StoredFact): void {
    this.#verdict = { kind: 'stored', fact, existing: true };
  }

  store(fact: StoredFact): void {
    this.#verdict = { kind: 'stored', fact, existing: false };
  }
}
