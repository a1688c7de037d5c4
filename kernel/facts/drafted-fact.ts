import type { PreparedFact, Principal, ServiceError } from '../../ports/ports.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import type { Check, DraftItem, DraftParts } from './append-api.ts';
import { type AssertionRules, refuseAssertion } from './assertion-rights.ts';
import { type Appender, type FactDraft, isByClient, type Notes, type Origin } from './fact-draft.ts';
import { type FactNameKeys, nameKeys } from './match-key.ts';
import { type PreparingParts, prepareFact } from './prepare-fact.ts';
import { firstRefusal, type Refusal } from './refusal-order.ts';
import { refuseFromPeer } from './refuse-from-peer.ts';

export type DraftingParts = PreparingParts & AssertionRules;

/** A checked draft before its transaction, or its refusal. */
export interface PreparedItem {
  readonly fact: PreparedFact;
  /** The version of the seal with which the value key was made. */
  readonly sealVersion: number | undefined;
  readonly notes: Notes | undefined;
  readonly path: string;
  readonly hasNewId: boolean;
  /** The warnings that the caller gets with the fact. */
  readonly warnings: readonly string[];
  readonly refusal: ServiceError | undefined;
}

const NO_WARNINGS: readonly string[] = Object.freeze([]);

/** A draft that handlers of `append:read` complete. */
export class DraftedFact implements DraftItem {
  readonly draft: FactDraft;
  readonly keys: FactNameKeys;
  readonly caller: Principal;
  readonly origin: Origin;
  readonly byClient: boolean;
  #parts: DraftParts | undefined;
  #refusal: Refusal | undefined;
  #warnings = NO_WARNINGS;

  constructor(draft: FactDraft, appender: Appender, names: ServiceNames) {
    this.draft = draft;
    this.keys = nameKeys(draft, names);
    this.caller = appender.caller;
    this.origin = appender.origin;
    this.byClient = isByClient(appender);
  }

  get notes(): Notes | undefined {
    return this.draft.notes;
  }

  get path(): string {
    return this.draft.path ?? 'body';
  }

  complete(parts: DraftParts): void {
    const known: DraftParts = this.#parts ?? {};
    const twice = Object.keys(parts).find((member) => Object.hasOwn(known, member));
    if (twice !== undefined) throw new Error(`two handlers of append:read set ${twice} of one draft`);
    this.#parts = { ...known, ...parts };
  }

  warn(warning: string): void {
    this.#warnings = [...this.#warnings, warning];
  }

  reject(error: ServiceError, check: Check = 'other'): void {
    this.#refusal = firstRefusal(this.#refusal, { error, check });
  }

  /** Runs the checks that need no store, and derives the members of the fact. */
  prepare(parts: DraftingParts, nowMs: number): PreparedItem {
    const { draft, notes, path } = this;
    const sealVersion = parts.seal?.version;
    const fact = prepareFact(draft, this.keys, this, parts, this.#parts);
    const refusal = this.#refusalOf(fact, parts, nowMs);
    if (refusal !== null) this.reject(refusal.error, refusal.check);
    const hasNewId = draft.id === undefined;
    return { fact, sealVersion, notes, path, hasNewId, warnings: this.#warnings, refusal: this.#refusal?.error };
  }

  #refusalOf(fact: PreparedFact, rules: AssertionRules, nowMs: number): Refusal | null {
    if (this.origin === 'peer') return refuseFromPeer(fact, rules, nowMs);
    return this.byClient ? refuseAssertion(fact, this.caller, rules, { nowMs, path: this.path }) : null;
  }
}
