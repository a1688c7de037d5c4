import { defineFeedKind } from '../../kernel/internal-api.ts';

/** The feed kind for a changed rule. The subject is the key of its pattern. */
export const RELATION_RULE_CHANGED = defineFeedKind('relation-rule', {
  summary: 'a rule about the values of relations changed',
});
