import {
  all,
  any,
  type ColumnCondition,
  type ColumnMatch,
  equals,
  type Filter,
  inTable,
  isNull,
  not,
} from '../../kernel/plugin-api.ts';

/**
 * Asserted here under the permission `instruction:write`. What a peer sent is not: nobody here has looked at it, so it instructs nobody until a
 * moderator asserts a copy.
 */
const INSTRUCTED: Filter = all(equals('interpretAs', 'instruction'), not(isNull('assertedBy')));

/** What was said by the owner of an agent's manifest, or as an instruction (wire contract 15). Who is named as source does not matter. */
export const speaksFor = (owner: string): Filter => any(equals('assertedBy', owner), INSTRUCTED);

/**
 * True for a fact that a retraction or a resolution with authority has ended: one of a speaker, or of the very entity that gave this instruction. A
 * cover of anybody else ends nothing here, although it does everywhere else.
 */
export const endedFor = (owner: string): Filter => {
  const taken = (by: Filter, match: readonly ColumnMatch[] = []): Filter =>
    any(
      coveredBy(by, [...match, { column: 'garden_id', is: 'equal', field: 'gardenId' }]),
      all(isNull('gardenId'), coveredBy(by, match, [{ column: 'garden_id', isNull: true }])),
    );
  return any(taken(speaksFor(owner)), all(INSTRUCTED, taken(all(), [SAME_SPEAKER])));
};

const SAME_SPEAKER: ColumnMatch = { column: 'asserted_by', is: 'equal', field: 'assertedBy' };

/** A cover is found by the fact that laid it, because only that one says who spoke. */
const coveredBy = (
  by: Filter,
  match: readonly ColumnMatch[],
  where: readonly ColumnCondition[] = [],
): Extract<Filter, { kind: 'inTable' }> => ({
  kind: 'inTable',
  table: 'facts',
  match: [...LATER_ON_TRIPLE, ...match],
  where,
  whereFact: all(inTable('fact_covers', [{ column: 'fact_id', is: 'equal', field: 'id' }]), by),
});

const LATER_ON_TRIPLE: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'entity_key', is: 'equal', field: 'entityKey' },
  { column: 'relation_key', is: 'equal', field: 'relationKey' },
  { column: 'scope', is: 'equal', field: 'scope' },
  { column: 'hlc', is: 'above', field: 'hlc' },
];
