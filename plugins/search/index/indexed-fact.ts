import type { Cover, StoredFact, TripleKey } from '../../../kernel/thread-api.ts';

/** The members of a fact that the index reads. */
export type IndexedFact = Pick<
  StoredFact,
  | keyof TripleKey
  | 'id'
  | 'entity'
  | 'relation'
  | 'value'
  | 'timestamp'
  | 'timestampMs'
  | 'sourceKey'
  | 'assertedBy'
  | 'hlc'
  | 'feed'
  | 'confidence'
  | 'validFromMs'
  | 'validUntilMs'
  | 'sessionId'
  | 'system'
  | 'speaker'
  | 'originId'
  | 'originNodeId'
>;

/** The members of a cover that the index reads. */
export interface IndexedCover extends Omit<Cover, 'factId' | 'kind' | 'assertedBy'> {
  /** The ids of the stored facts that it ends by name, because the index does not store names. */
  readonly targets?: readonly string[];
}

/** Returns the beginning of a fact, or its timestamp without one, in milliseconds. */
export const speaksOf = ({ validFromMs, timestampMs }: Pick<IndexedFact, 'validFromMs' | 'timestampMs'>): number =>
  validFromMs ?? timestampMs;

/** Returns false for retractions and facts about facts, which no search ever finds. */
export const isFindable = ({ system, confidence }: IndexedFact): boolean => !system && confidence > 0;
