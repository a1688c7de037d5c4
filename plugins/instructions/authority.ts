import { coveredBy } from '../../kernel/internal-api.ts';
import { all, any, type ColumnMatch, equals, type Filter, isNull, not } from '../../kernel/plugin-api.ts';

/**
 * Matches facts that callers of this node asserted as instructions, with the permission `instruction:write`. Excludes
 * facts of peers: no moderator of this node has reviewed them, so agents get them only after a moderator asserts a
 * copy.
 */
const INSTRUCTED: Filter = all(equals('interpretAs', 'instruction'), not(isNull('assertedBy')));

/**
 * Matches facts with authority: asserted by the owner of the agent's manifest, or asserted as instructions. Their
 * `source` does not matter.
 */
export const speaksFor = (owner: string): Filter => any(equals('assertedBy', owner), INSTRUCTED);

/**
 * Matches facts that a retraction or a resolution with authority has ended: one by an author with authority, or by the
 * entity that asserted this instruction. Other retractions have no effect here, although they have an effect everywhere
 * else.
 */
export const endedFor = (owner: string): Filter =>
  any(coveredBy([], { whereFact: speaksFor(owner) }), all(INSTRUCTED, coveredBy([], { match: [SAME_SPEAKER] })));

const SAME_SPEAKER: ColumnMatch = { column: 'asserted_by', is: 'equal', field: 'assertedBy' };
