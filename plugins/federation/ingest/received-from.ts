import type { AppendedFact, FactDraft, NodeSelf } from '../../../kernel/plugin-api.ts';
import type { OwnNames } from './own-names.ts';

/**
 * Returns the system facts that record from which node each fact came. They are in the garden of their facts and never
 * leave this node. Own facts that return get none.
 */
export const receivedFromFacts = (
  facts: readonly AppendedFact[],
  own: OwnNames,
  { names }: Pick<NodeSelf, 'names'>,
): FactDraft[] | undefined => {
  const received = facts.filter(({ origin, fact }) => origin === 'peer' && !own.isOwnNode(fact.originNodeId ?? ''));
  if (received.length === 0) return undefined;
  return received.map(({ fact }) => ({
    entity: names.factEntity(fact.id),
    relation: names.meta('received_from'),
    value: { type: 'ref', v: fact.originNodeId ?? fact.receivedFrom, interpretAs: 'content' },
    source: names.systemSource,
    confidence: 1,
    scope: 'local',
    gardenId: fact.gardenId,
  }));
};
