import type { FactView, Hlc } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { effectiveConfidence } from '../source-trust/source-trust-api.ts';
import type { CardMaterial } from './cards-api.ts';

/** A stored card: its text and its sources. */
export interface Card {
  readonly summary: string;
  /** Ids of the facts in the card, in their order. */
  readonly factIds: readonly string[];
  /** Mean effective confidence of the facts, to six decimals. */
  readonly averageConfidence: number;
  /** Number of relations whose facts have differing values. Counts relations, not facts. */
  readonly contradictedCount: number;
  /** Number of live facts. The card lists the strongest of them. */
  readonly liveCount: number;
  /** Milliseconds since the epoch. */
  readonly refreshedMs: number;
  /** The card covers facts up to this stamp of the feed. */
  readonly upTo: Hlc;
  /** Id of the summariser. */
  readonly summariser: string;
  /** The fact that holds the summary. Null if every place for it has readers who may not see the card. */
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
