import {
  all,
  any,
  type ColumnMatch,
  equals,
  type Filter,
  inTable,
  isNull,
  not,
  SAME_PLACE,
} from '../../kernel/plugin-api.ts';

/**
 * Asserted here under the permission `instruction:write`. What a peer sent is not: nobody here has looked at it, so it
 * instructs nobody until a moderator asserts a copy.
 */
const INSTRUCTED: Filter = all(equals('interpretAs', 'instruction'), not(isNull('assertedBy')));

/** What was said by the owner of an agent's manifest, or as an instruction. Who is named as source does not matter. */
export const speaksFor = (owner: string): Filter => any(equals('assertedBy', owner), INSTRUCTED);

/**
 * True for a fact that a retraction or a resolution with authority has ended: one of a speaker, or of the very entity
 * that gave this instruction. A cover of anybody else ends nothing here, although it does everywhere else.
 */
export const endedFor = (owner: string): Filter =>
  any(coveredBy(speaksFor(owner)), all(INSTRUCTED, coveredBy(all(), [SAME_SPEAKER])));

const SAME_SPEAKER: ColumnMatch = { column: 'asserted_by', is: 'equal', field: 'assertedBy' };

/** A cover is found by the fact that laid it, because only that one says who spoke. */
const coveredBy = (by: Filter, match: readonly ColumnMatch[] = []): Filter => ({
  kind: 'inTable',
  table: 'facts',
  match: [...SAME_PLACE, { column: 'hlc', is: 'above', field: 'hlc' }, ...match],
  where: [],
  whereFact: all(by, inTable('fact_covers', [{ column: 'fact_id', is: 'equal', field: 'id' }])),
});
