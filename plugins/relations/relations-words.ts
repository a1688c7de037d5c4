import { defineFeedKind } from '../../kernel/internal-api.ts';

/** The feed kind of a changed rule. Its subject is the match key of the pattern. */
export const RELATION_RULE_CHANGED = defineFeedKind('relation-rule', {
  summary: 'a rule about the values of relations changed',
});
