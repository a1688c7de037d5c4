import { defineRef, type FactView, type Principal } from '../../kernel/plugin-api.ts';

/** Remembers what a session has read, for the guard of wire contract 2.5. Does nothing while the guard is off. */
export interface SessionReads {
  /**
   * To be called with the facts of an answer before it is sent, by every route that returns facts to be worked with. Resolves when what
   * was read is durable. `sessionId` is the trimmed session header, null without one.
   */
  returned(sessionId: string | null, caller: Principal, views: readonly FactView[]): Promise<void>;
}

export const SessionReads = defineRef<SessionReads>('facts.session-reads');
