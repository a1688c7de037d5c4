import type { TriplePosition, TripleQuery } from '../../ports/ports.ts';
import { placeSql } from './fact-field-columns.ts';
import type { SqlParameter } from './sql-engine.ts';

/*
 * Facts of one tenant in the order of the index on triples. A page begins behind a fact. Finding that position by one
 * comparison of all columns is too slow: SQLite seeks by columns alone, and the place is an expression. So each page of
 * a long triple would read all earlier facts of the triple again. Instead, a page is read in steps: the rest of the
 * triple in its place, further places of the triple, further triples of the entity, further entities.
 */

interface OrderColumn {
  readonly sql: string;
  valueOf(fact: TriplePosition): SqlParameter;
}

const ENTITY: OrderColumn = { sql: 'f.entity_key', valueOf: ({ entityKey }) => entityKey };
const RELATION: OrderColumn = { sql: 'f.relation_key', valueOf: ({ relationKey }) => relationKey };
const SCOPE: OrderColumn = { sql: 'f.scope', valueOf: ({ scope }) => scope };
const PLACE: OrderColumn = { sql: placeSql('f.garden_id'), valueOf: ({ gardenId }) => gardenId ?? '' };
const WITHIN: readonly OrderColumn[] = [
  { sql: 'f.confidence', valueOf: ({ confidence }) => confidence },
  { sql: 'f.hlc_wall', valueOf: ({ hlc }) => hlc.wallMs },
  { sql: 'f.hlc_ctr', valueOf: ({ hlc }) => hlc.counter },
  { sql: 'f.id', valueOf: ({ id }) => id },
];

const listOf = (columns: readonly OrderColumn[]): string => columns.map(({ sql }) => sql).join(', ');

export const TRIPLE_ORDER = `ORDER BY ${listOf([ENTITY, RELATION, SCOPE, PLACE, ...WITHIN])}`;

/**
 * A step of a page: facts that equal the last one in the first columns of the order, and lie beyond it in the next
 * column.
 */
export interface TripleStep {
  readonly name: string;
  /** The SQL condition; empty when the page begins at the first fact. */
  readonly sql: string;
  parametersOf(last: TriplePosition): readonly SqlParameter[];
}

const stepOf = (name: string, same: readonly OrderColumn[], beyond: readonly OrderColumn[]): TripleStep => {
  const equal = same.map(({ sql }) => `${sql} = ? AND `).join('');
  const marks = beyond.map(() => '?').join(', ');
  const sql = `${equal}(${listOf(beyond)}) > (${marks})`;
  return { name, sql, parametersOf: (last) => [...same, ...beyond].map((column) => column.valueOf(last)) };
};

const FROM_THE_BEGINNING: readonly TripleStep[] = [{ name: 'all', sql: '', parametersOf: () => [] }];

const BEHIND_A_FACT: readonly TripleStep[] = [
  stepOf('triple', [ENTITY, RELATION, SCOPE, PLACE], WITHIN),
  stepOf('places', [ENTITY, RELATION, SCOPE], [PLACE]),
  stepOf('entity', [ENTITY], [RELATION, SCOPE]),
  stepOf('entities', [], [ENTITY]),
];

/** Returns the steps of a page, in order. Each is read while the page has room. */
export const stepsOf = ({ after }: Pick<TripleQuery, 'after'>): readonly TripleStep[] =>
  after === undefined ? FROM_THE_BEGINNING : BEHIND_A_FACT;
