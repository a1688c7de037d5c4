import { defineRef, type FactView, type Scope } from '../../kernel/plugin-api.ts';

/** What a card is made of: facts that the reader of the card may see, and nothing else. */
export interface CardMaterial {
  /** As the first of the facts spells it. */
  readonly entity: string;
  readonly scope: Scope;
  /**
   * 1 to 20, by confidence, then newest first. Of a contradicted relation all rivals, as long as there is room for
   * them.
   */
  readonly facts: readonly FactView[];
  /**
   * By `relationKey`, of relations that have one among the facts: how many rivals found no room there. Empty but for
   * the most contested entities.
   */
  readonly unlistedRivals: ReadonlyMap<string, number>;
}

/**
 * Writes the summary of a card. The built-in one lists the facts; a plugin that provides this ref may do better. A
 * summary must not leave out a rival of a contradicted fact, must say when there are more, and must not add what is not
 * in the material.
 *
 * A reader waits for half a second at most and then gets what there was before, marked as stale; a summary that comes
 * later is kept for the next reader. A rejection is logged, and the next reader asks again. Equal requests under way
 * are made once.
 */
export interface CardSummariser {
  /** Of whatever decides what it writes, such as a model and its instructions: cards under another id are made anew. */
  readonly id: string;
  /** Text without U+0000. The signal aborts after a minute, and when the node stops: what comes then is not kept. */
  summarise(material: CardMaterial, signal: AbortSignal): Promise<string>;
}

/** `provides: [CardSummariser]` replaces the built-in one. */
export const CardSummariser = defineRef<CardSummariser>('cards.summariser');
