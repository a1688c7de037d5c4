import { defineRef, type Filter, type Scope, type StoredFact } from '../../ports/ports.ts';
import { defineCollectHook } from '../hooks/define-hook.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';

/** How much was destroyed, by what it was: `{ facts: 3, vectors: 2 }`. */
export type ErasureCounts = Readonly<Record<string, number>>;

/** What is to be erased: facts of one tenant about one entity. */
export interface ErasureSubject {
  readonly tenantId: string;
  /** Match key of the entity. */
  readonly entityKey: string;
  readonly scopes: readonly Scope[];
  /** What the facts must satisfy besides: all of them do, where it is `all()`. */
  readonly filter: Filter;
}

/** Where an erasure goes on. Survives as JSON. */
export interface ErasurePosition {
  readonly phase: 'references' | 'sweeps' | 'facts' | 'last sweeps';
  /** How far the phase is; null at its start. */
  readonly at: string | null;
}

export const ERASURE_START: ErasurePosition = Object.freeze({ phase: 'references', at: null });

/**
 * Erasure destroys what facts say: their values, and everything that was made of them or from which a short value could
 * be guessed. Identifiers, stamps, links of the chain and signatures stay.
 */
export interface FactErasure {
  /**
   * Does a bounded piece of the work in this transaction of the subject's tenant, and returns what it destroyed and
   * where to go on; null when nothing is left. A piece that is done again destroys nothing more.
   */
  step(
    subject: ErasureSubject,
    position: ErasurePosition,
    transaction: PluginTransaction,
  ): Promise<{ readonly next: ErasurePosition | null; readonly counts: ErasureCounts }>;
  /**
   * Destroys what facts of one tenant say, in this transaction: facts that were erased before, and came again.
   * References and sweeps are left out, because there was no time for anybody to refer to them.
   */
  erase(tenantId: string, factIds: readonly string[], transaction: PluginTransaction): Promise<ErasureCounts>;
  /**
   * Removes from files what committed pieces have destroyed. Resolves when it is gone, with sentences that say what is
   * out of reach. Safe to repeat.
   */
  scrub(): Promise<readonly string[]>;
}

export const FactErasure = defineRef<FactErasure>('kernel.fact-erasure');

/** Facts of one tenant, as they were before their erasure, in the transaction that erases them. */
export interface ErasedFacts {
  readonly tenantId: string;
  readonly facts: readonly StoredFact[];
  readonly transaction: PluginTransaction;
}

/**
 * In the transaction that erases facts: destroys what a plugin has made of each of them, and keeps under its id.
 * Returns how much that was.
 */
export const factErased = defineCollectHook<ErasedFacts, ErasureCounts>('fact:erased');

/** Facts that stay, and whose references to erased facts are redacted. */
export interface RedactedFacts {
  readonly tenantId: string;
  readonly facts: readonly { readonly id: string; readonly before: readonly string[] }[];
  readonly transaction: PluginTransaction;
}

/** In the transaction that redacts references of facts: destroys what would tell which references there were. */
export const factRedacted = defineCollectHook<RedactedFacts, ErasureCounts>('fact:redacted');

/** What a sweep knows of the facts that are erased. */
export interface SweptSubject extends Omit<ErasureSubject, 'filter'> {
  /** Those of these texts that are the identifier of a fact that is erased or about to be, or its content id. */
  named(texts: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A search through what a plugin keeps under other keys than those of facts. */
export interface ErasureSweep {
  /** What it searches. Unique. */
  readonly name: string;
  /**
   * Searches a bounded piece behind `after`, destroys there what the subject's facts left, and returns how much that
   * was, and where to go on: null when nothing is left.
   */
  step(subject: SweptSubject, after: string | null, transaction: PluginTransaction): Promise<SweptPiece>;
}

export interface SweptPiece {
  readonly after: string | null;
  readonly counts: ErasureCounts;
  /** Identifiers of other facts of the tenant that repeat what the subject's facts say: they are erased with them. */
  readonly facts?: readonly string[];
}

/** What an erasure searches besides the facts. Asked once for each erasure. */
export const erasureSweeps = defineCollectHook<Record<string, never>, readonly ErasureSweep[]>('erasure:sweeps');

/**
 * After the transactions of an erasure: removes what was destroyed from the plugin's files. Returns sentences that say
 * what is out of its reach.
 */
export const erasureFiles = defineCollectHook<Record<string, never>, readonly string[]>('erasure:files');
