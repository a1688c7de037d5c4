import { defineRef, type FactView, type Principal, type Scope } from '../../kernel/plugin-api.ts';
import type { FactNarrowing } from '../facts/facts-api.ts';

/** The input of a card: only facts that the reader of the card may see. */
export interface CardMaterial {
  /** The entity in the spelling of the first fact. */
  readonly entity: string;
  readonly scope: Scope;
  /**
   * 1 to 20 facts, by confidence, then newest first. Includes all rivals of a contradicted relation while there is room
   * for them.
   */
  readonly facts: readonly FactView[];
  /** For each listed relation, by `relationKey`, the number of rivals that are not listed. Usually empty. */
  readonly unlistedRivals: ReadonlyMap<string, number>;
}

/**
 * Writes the summary of a card. The built-in summariser lists the facts, and a plugin may provide a better one. A
 * summary must name a rival of each contradicted fact, mention further rivals, and add nothing to the material. A
 * reader waits at most half a second, and then gets the former summary, marked as stale. The late summary is stored for
 * the next reader. After a rejection, which is logged, the next reader tries again. Simultaneous equal requests share
 * one run.
 */
export interface CardSummariser {
  /** Identifies the model and its instructions. After a change of the id, all cards are made again. */
  readonly id: string;
  /**
   * Returns a text without U+0000. The signal aborts after a minute, and when the node stops. A later result is
   * discarded.
   */
  summarise(material: CardMaterial, signal: AbortSignal): Promise<string>;
}

/** A plugin with `provides: [CardSummariser]` replaces the built-in summariser. */
export const CardSummariser = defineRef<CardSummariser>('cards.summariser');

/** A request with narrowing members gets a card of only the matching facts, which is not stored. */
export interface CardRequest extends FactNarrowing {
  /** The entity in any spelling. */
  readonly entity: string;
  /** `local` by default. */
  readonly scope?: Scope;
  /** If true, makes the card again even without changes. False by default. */
  readonly refresh?: boolean;
  /**
   * An instant (RFC 3339) or a stamp: the card covers the facts that were live then, with the present rights of the
   * caller. It is made for this request and not stored.
   */
  readonly asOf?: string | undefined;
}

/** A card as one caller reads it. */
export interface MemoryCard {
  /** The entity in the spelling of the caller. */
  readonly entity: string;
  readonly scope: Scope;
  readonly summary: string;
  /** Ids of the facts in the card, the strongest first. */
  readonly factIds: readonly string[];
  /** Mean effective confidence of the facts, to six decimals. */
  readonly averageConfidence: number;
  /** Number of relations whose facts have differing values. */
  readonly contradictedCount: number;
  /** RFC 3339. */
  readonly refreshedAt: string;
  /** True if a newer card could not be made in time, or not at all. */
  readonly isStale: boolean;
  /** True if the newer card took too long. */
  readonly timedOut: boolean;
}

/**
 * Short summaries of entities. Each is made from facts that its reader may see, and never shown to a reader with fewer
 * rights.
 */
export interface MemoryCards {
  /**
   * Returns the caller's card of an entity in one scope. Makes a missing or stale card again, and waits at most half a
   * second for it. After that the caller gets the stale card, and the next caller the new one. Needs `read` and the
   * scope, else `authorization`. Rejects with `validation` for a malformed entity, and with `lookup` if the caller sees
   * no live fact of it. With `asOf` it rejects with `as_of_invalid_timestamp`, `as_of_future` or `as_of_before_floor`,
   * and with `validation` without the plugin `time-travel`.
   */
  read(caller: Principal, request: CardRequest): Promise<MemoryCard>;
}

export const MemoryCards = defineRef<MemoryCards>('cards.cards');
