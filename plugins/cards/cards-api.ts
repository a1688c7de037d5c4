import { defineRef, type FactView, type Principal, type Scope } from '../../kernel/plugin-api.ts';

/** The input of a card: only facts that the reader of the card may see. */
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
 * Writes the summary of a card. The built-in one lists the facts; a plugin may provide a better one. A summary must
 * name a rival of each contradicted fact, say if there are more, and add nothing to the material.
 * A reader waits at most half a second, and then gets the former summary, marked as stale. A later summary is stored
 * for the next reader. After a rejection, which is logged, the next reader tries again. Equal concurrent requests share
 * one run.
 */
export interface CardSummariser {
  /** Identifies the model and its instructions. Cards with another id are made again. */
  readonly id: string;
  /** Text without U+0000. The signal aborts after a minute, and when the node stops; a later result is discarded. */
  summarise(material: CardMaterial, signal: AbortSignal): Promise<string>;
}

/** `provides: [CardSummariser]` replaces the built-in one. */
export const CardSummariser = defineRef<CardSummariser>('cards.summariser');

export interface CardRequest {
  /** Any spelling of the entity. */
  readonly entity: string;
  /** `local` by default. */
  readonly scope?: Scope;
  /** Makes the card anew even if nothing has changed; false by default. */
  readonly refresh?: boolean;
  /**
   * An instant (RFC 3339) or a stamp: a card of the facts that were live then, by the rights of today. It is made for
   * this request and not kept, and is refreshed at that moment.
   */
  readonly asOf?: string | undefined;
}

/** A card as one caller reads it. */
export interface MemoryCard {
  /** As the caller spelled it. */
  readonly entity: string;
  readonly scope: Scope;
  readonly summary: string;
  /** Facts that the card was made of, the strongest first. */
  readonly factIds: readonly string[];
  /** Mean of what their confidences are worth, to six decimals. */
  readonly averageConfidence: number;
  /** How many relations of the facts have differing values. */
  readonly contradictedCount: number;
  /** RFC 3339. */
  readonly refreshedAt: string;
  /** A newer card could not be made in time, or not at all. */
  readonly isStale: boolean;
  /** The newer card took too long. */
  readonly timedOut: boolean;
}

/** Short summaries of entities. Each is made of what its reader may see, and shown to nobody who may see less. */
export interface MemoryCards {
  /**
   * The caller's card of an entity in one scope. Makes a missing or stale card again, for at most half a second; after
   * that the caller gets the stale one, and the next caller the new one. Needs `read` and the scope, else
   * `authorization`. Rejects with `validation` for a malformed entity, and with `lookup` if the caller sees no live
   * fact of it. With `asOf` it rejects with `as_of_invalid_timestamp`, `as_of_future` or `as_of_before_floor`, and with
   * `validation` while no plugin serves the past.
   */
  read(caller: Principal, request: CardRequest): Promise<MemoryCard>;
}

export const MemoryCards = defineRef<MemoryCards>('cards.cards');
