import { coveredBy } from '../../kernel/internal-api.ts';
import { all, any, type ColumnMatch, equals, type Filter, isNull, not } from '../../kernel/plugin-api.ts';

/**
 * Facts that callers of this node asserted with the permission `instruction:write`. Facts of peers are excluded: no
 * moderator of this node has reviewed them, so they instruct no agent until a moderator asserts a copy.
 */
const INSTRUCTED: Filter = all(equals('interpretAs', 'instruction'), not(isNull('assertedBy')));

/**
 * Facts that the owner of an agent's manifest asserted, and facts that were asserted as instructions. Their `source`
 * does not matter.
 */
export const speaksFor = (owner: string): Filter => any(equals('assertedBy', owner), INSTRUCTED);

/**
 * True for a fact that a retraction or a resolution with authority has ended: by a speaker, or by the entity that
 * asserted this instruction. Retractions of others have no effect here, although they have everywhere else.
 */
export const endedFor = (owner: string): Filter =>
  any(coveredBy([], { whereFact: speaksFor(owner) }), all(INSTRUCTED, coveredBy([], { match: [SAME_SPEAKER] })));

const SAME_SPEAKER: ColumnMatch = { column: 'asserted_by', is: 'equal', field: 'assertedBy' };
