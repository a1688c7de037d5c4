import { notCovered, SAME_PLACE } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  below,
  type ColumnMatch,
  equals,
  type FactReader,
  type Filter,
  not,
  type Scope,
} from '../../kernel/plugin-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';

/** The subject of a synthesis. Plain JSON, because jobs store it. */
export interface SynthesisQuery {
  /** Null for all scopes of the caller. */
  readonly scope: Scope | null;
  /** Match key of the entity. */
  readonly entityKey: string | null;
  readonly minConfidence: number;
  readonly includeExpired: boolean;
  readonly limit: number;
}

/** The filters of one synthesis, for one reader. */
export interface SynthesisFilters {
  /** All facts of the scope and entity, of any confidence. */
  readonly asked: Filter;
  /** Facts that the synthesis counts. */
  readonly matching: Filter;
  /** Facts below the minimum confidence. */
  readonly filtered: Filter;
  /** Counted facts that are live. */
  readonly live: Filter;
  /** The strongest fact of each triple and place with a contradiction. */
  readonly leads: Filter;
}

export const filtersFor = async (
  reader: FactReader,
  { scope, entityKey, minConfidence, includeExpired }: SynthesisQuery,
  rules?: RelationRules,
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
    leads: all(liveMatching, ...contestable(reader, rules), hasRival(live), not(hasStronger(live))),
  };
};

/** Live facts, and facts that have only expired. */
const unended = async (reader: FactReader): Promise<Filter> =>
  all(await reader.constraint('visible'), equals('system', false), above('confidence', 0), notCovered(reader));

/** Excludes facts of relations that hold many values. */
export const contestable = ({ caller }: FactReader, rules: RelationRules | undefined): readonly Filter[] => {
  const many = rules?.at(caller.tenantId).many;
  return many === undefined ? [] : [not(many)];
};

/** Matches facts with a live fact of the same triple and place and another value. */
export const hasRival = (live: Filter): Filter => besides(live, OTHER_VALUE);

/**
 * Matches facts with a stronger one, in the order of winners: confidence, then stamp, then id. So each triple has one
 * lead.
 */
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
