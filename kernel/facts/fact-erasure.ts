import { defineRef, type Filter, type Scope, type StoredFact } from '../../ports/ports.ts';
import { defineCollectHook } from '../hooks/define-hook.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';

/** The number of destroyed things by name: `{ facts: 3, vectors: 2 }`. */
export type ErasureCounts = Readonly<Record<string, number>>;

/** The subject of an erasure: facts of one tenant about one entity. */
export interface ErasureSubject {
  readonly tenantId: string;
  /** The match key of the entity. */
  readonly entityKey: string;
  readonly scopes: readonly Scope[];
  /** A further condition on the facts; `all()` selects every fact. */
  readonly filter: Filter;
}

/** The position from which an erasure continues. JSON-safe. */
export interface ErasurePosition {
  readonly phase: 'references' | 'sweeps' | 'facts' | 'last sweeps';
  /** Progress within the phase; null at its start. */
  readonly at: string | null;
}

export const ERASURE_START: ErasurePosition = Object.freeze({ phase: 'references', at: null });

/**
 * Destroys the content of facts: their values, everything derived from them, and everything from which a short value
 * could be guessed. Identifiers, stamps, chain links and signatures stay.
 */
export interface FactErasure {
  /**
   * Does a bounded piece of the work in this transaction of the subject's tenant. Returns the counts of destroyed
   * things, and the position to continue from; null at the end. A repeated piece destroys nothing more.
   */
  step(
    subject: ErasureSubject,
    position: ErasurePosition,
    transaction: PluginTransaction,
  ): Promise<{ readonly next: ErasurePosition | null; readonly counts: ErasureCounts }>;
  /**
   * Destroys facts of one tenant in this transaction: facts that were erased before and have returned. Skips references
   * and sweeps, because no other fact can refer to them yet.
   */
  erase(tenantId: string, factIds: readonly string[], transaction: PluginTransaction): Promise<ErasureCounts>;
  /**
   * Removes from files the bytes that committed pieces have destroyed. Resolves when they are gone, with sentences
   * about copies that the node cannot reach. Safe to repeat.
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
 * In the transaction that erases facts: a plugin destroys its data about each of them. Returns the counts of destroyed
 * things.
 */
export const factErased = defineCollectHook<ErasedFacts, ErasureCounts>('fact:erased');

/** Remaining facts whose references to erased facts are redacted. */
export interface RedactedFacts {
  readonly tenantId: string;
  readonly facts: readonly { readonly id: string; readonly before: readonly string[] }[];
  readonly transaction: PluginTransaction;
}

/** In the transaction that redacts references of facts. A plugin destroys data that would reveal the references. */
export const factRedacted = defineCollectHook<RedactedFacts, ErasureCounts>('fact:redacted');

/** The subject of an erasure, for a sweep. */
export interface SweptSubject extends Omit<ErasureSubject, 'filter'> {
  /** Returns the texts that are the identifier or content id of an erased fact, or of one about to be erased. */
  named(texts: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A search through data of a plugin that is not keyed by facts. */
export interface ErasureSweep {
  /** Names the searched data. Unique. */
  readonly name: string;
  /**
   * Searches a bounded piece behind `after` and destroys traces of the subject's facts. Returns the counts of destroyed
   * things, and the position to continue from; null at the end.
   */
  step(subject: SweptSubject, after: string | null, transaction: PluginTransaction): Promise<SweptPiece>;
}

export interface SweptPiece {
  readonly after: string | null;
  readonly counts: ErasureCounts;
  /** Identifiers of other facts of the tenant that repeat content of the subject's facts. They are erased as well. */
  readonly facts?: readonly string[];
}

/** Returns further sweeps of an erasure. Called once for each erasure. */
export const erasureSweeps = defineCollectHook<Record<string, never>, readonly ErasureSweep[]>('erasure:sweeps');

/**
 * After the transactions of an erasure: a plugin removes the erased content from its files. Returns sentences about
 * copies that it cannot reach.
 */
export const erasureFiles = defineCollectHook<Record<string, never>, readonly string[]>('erasure:files');
