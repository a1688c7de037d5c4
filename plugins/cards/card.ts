import { effectiveConfidence, type FactView, type Hlc } from '../../kernel/plugin-api.ts';
import type { CardMaterial } from './cards-api.ts';

/** A card as it is kept: what it says, and what it was made of. */
export interface Card {
  readonly summary: string;
  /** Of the facts it was made of, in their order. */
  readonly factIds: readonly string[];
  /** Mean of what their confidences are worth, to six decimals. */
  readonly averageConfidence: number;
  /** Relations, among those of the facts, that have differing values: what is disputed, not how many dispute it. */
  readonly contradictedCount: number;
  /** All that were live, of which those are the strongest. */
  readonly liveCount: number;
  /** Milliseconds since the epoch. */
  readonly refreshedMs: number;
  /** What was stored later was not looked at. */
  readonly upTo: Hlc;
  /** Id of the summariser. */
  readonly summariser: string;
  /**
   * The fact that holds the summary; null where no fact can, because it would be seen by others than the card's
   * readers.
   */
  readonly factId: string | null;
}

export const createCard = (
  { facts }: CardMaterial,
  made: Pick<Card, 'summary' | 'liveCount' | 'refreshedMs' | 'upTo' | 'summariser'>,
): Card => ({
  ...made,
  factIds: facts.map(({ fact }) => fact.id),
  averageConfidence: averageConfidence(facts),
  contradictedCount: countContradicted(facts),
  factId: null,
});

const countContradicted = (facts: readonly FactView[]): number =>
  new Set(facts.filter(({ contradicted }) => contradicted).map(({ fact }) => fact.relationKey)).size;

const DECIMALS = 1e6;

export const averageConfidence = (facts: readonly FactView[]): number => {
  const sum = facts.reduce((total, view) => total + effectiveConfidence(view.fact.confidence, view.sourceTrust), 0);
  return facts.length === 0 ? 0 : Math.round((sum / facts.length) * DECIMALS) / DECIMALS;
};
