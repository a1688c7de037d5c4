import type { FactView, Hlc } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { effectiveConfidence } from '../source-trust/source-trust-api.ts';
import type { CardMaterial } from './cards-api.ts';

/** A card as it is stored: its text, and what it was made of. */
export interface Card {
  readonly summary: string;
  /** The facts that it was made of, in their order. */
  readonly factIds: readonly string[];
  /** Mean of what their confidences are worth, to six decimals. */
  readonly averageConfidence: number;
  /** How many relations of the facts have differing values. Counts disputes, not rivals. */
  readonly contradictedCount: number;
  /** How many facts were live; the card lists the strongest of them. */
  readonly liveCount: number;
  /** Milliseconds since the epoch. */
  readonly refreshedMs: number;
  /** The card looked at facts up to this stamp of the feed. */
  readonly upTo: Hlc;
  /** Id of the summariser. */
  readonly summariser: string;
  /** The fact that holds the summary. Null when every place for it has readers who may not see the card. */
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
  new Set(facts.filter(isContradicted).map(({ fact }) => fact.relationKey)).size;

const DECIMALS = 1e6;

export const averageConfidence = (facts: readonly FactView[]): number => {
  const sum = facts.reduce((total, view) => total + effectiveConfidence(view), 0);
  return facts.length === 0 ? 0 : Math.round((sum / facts.length) * DECIMALS) / DECIMALS;
};
