import { definePermission, defineRef, type FactView, type Principal } from '../../kernel/plugin-api.ts';

/** Remembers what a session has read, for the guard of wire contract 2.5. Does nothing while the guard is off. */
export interface SessionReads {
  /**
   * To be called with the facts of an answer before it is sent, by every route that returns facts to be worked with.
   * Resolves when what was read is durable. `sessionId` is the trimmed session header, null without one.
   */
  returned(sessionId: string | null, caller: Principal, views: readonly FactView[]): Promise<void>;
}

export const SessionReads = defineRef<SessionReads>('facts.session-reads');

/**
 * Note on a draft that sums up what it is derived from, as an assertion does in write mode `summarize_with_provenance`:
 * what the guard of sessions asks of a fact that goes where its session has read.
 */
export const SumsUp = defineRef<true>('facts.sums-up');

/** Guards answers against rows that were changed behind the node's back (wire contract 4.8). */
export interface IntactFacts {
  /** The facts whose content id still matches; the others are left out, logged, and audited once. */
  keepIntact(views: readonly FactView[], caller: Principal): Promise<readonly FactView[]>;
  /** Throws `cid_mismatch` (409) when the content id of a fact no longer matches. */
  requireIntact(view: FactView): void;
}

export const IntactFacts = defineRef<IntactFacts>('facts.intact-facts');

/** Asserting a fact that agents read as an instruction. */
export const INSTRUCTION_WRITE = definePermission('instruction:write', {
  summary: 'assert facts that agents read as instructions',
});
