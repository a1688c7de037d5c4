import { SAME_PLACE } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  below,
  type ColumnMatch,
  equals,
  type FactReader,
  type Filter,
  inTable,
  not,
  type Scope,
} from '../../kernel/plugin-api.ts';

/** The subject of a synthesis. Plain JSON, because jobs store it. */
export interface SynthesisQuery {
  /** Null for all scopes of the caller. */
  readonly scope: Scope | null;
  /** Match key. */
  readonly entityKey: string | null;
  readonly minConfidence: number;
  readonly includeExpired: boolean;
  readonly limit: number;
}

/** The facts of one synthesis, as a reader sees them. */
export interface SynthesisFilters {
  /** All facts of the scope and entity, of any confidence. */
  readonly asked: Filter;
  /** Those that count. */
  readonly matching: Filter;
  /** Those that are left out for their confidence. */
  readonly filtered: Filter;
  /** Those that count and are live. */
  readonly live: Filter;
  /** One fact of each contradiction: the strongest of its triple and place. */
  readonly leads: Filter;
}

export const filtersFor = async (
  reader: FactReader,
  { scope, entityKey, minConfidence, includeExpired }: SynthesisQuery,
): Promise<SynthesisFilters> => {
  const about = [
    ...(scope === null ? [] : [equals('scope', scope)]),
    ...(entityKey === null ? [] : [equals('entityKey', entityKey)]),
  ];
  const live = await reader.constraint('live');
  const asked = all(includeExpired ? await unended(reader) : live, ...about);
  const isWeak = below('confidence', minConfidence);
  const liveMatching = all(live, ...about, not(isWeak));
  return {
    asked,
    matching: all(asked, not(isWeak)),
    filtered: all(asked, isWeak),
    live: liveMatching,
    leads: all(liveMatching, hasRival(live), not(hasStronger(live))),
  };
};

/** Live facts, and those that have merely expired. */
const unended = async (reader: FactReader): Promise<Filter> =>
  all(
    await reader.constraint('visible'),
    equals('system', false),
    above('confidence', 0),
    not(inTable('fact_covers', [...SAME_PLACE, NEWER])),
  );

/** A live fact of the same triple and place says otherwise. */
export const hasRival = (live: Filter): Filter => besides(live, OTHER_VALUE);

/** The order of winners: confidence, then stamp. Exact ties go by id, so that each triple has one lead. */
const hasStronger = (live: Filter): Filter =>
  any(besides(live, SURER), besides(live, AS_SURE, NEWER), besides(live, AS_SURE, AS_NEW, HIGHER_ID));

const besides = (live: Filter, ...matches: readonly ColumnMatch[]): Filter => ({
  kind: 'inTable',
  table: 'facts',
  match: [...SAME_PLACE, ...matches],
  where: [{ column: 'confidence', above: 0 }],
  whereFact: live,
});

const OTHER_VALUE: ColumnMatch = { column: 'value_key', is: 'other', field: 'valueKey' };
const SURER: ColumnMatch = { column: 'confidence', is: 'above', field: 'confidence' };
const AS_SURE: ColumnMatch = { column: 'confidence', is: 'equal', field: 'confidence' };
const NEWER: ColumnMatch = { column: 'hlc', is: 'above', field: 'hlc' };
const AS_NEW: ColumnMatch = { column: 'hlc', is: 'equal', field: 'hlc' };
const HIGHER_ID: ColumnMatch = { column: 'id', is: 'above', field: 'id' };
