import type { AppendedFact, FactDraft, NodeSelf } from '../../../kernel/plugin-api.ts';
import type { OwnNames } from './own-names.ts';

/**
 * The meta-facts that say from which node facts came. They lie where the facts lie, never leave this node, and are not
 * made for own facts that came home.
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
