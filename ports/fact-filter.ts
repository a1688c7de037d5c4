import type { Hlc } from './fact.ts';

/** Members of a stored fact that a filter may test. */
export type FactField =
  | 'id'
  | 'tenantId'
  | 'entityKey'
  | 'relationKey'
  | 'source'
  | 'sourceKey'
  | 'valueKey'
  | 'scope'
  | 'gardenId'
  /** The garden of the fact, and an empty text outside gardens: never null, so that facts of one place match. */
  | 'place'
  | 'cid'
  | 'confidence'
  | 'timestampMs'
  | 'validUntilMs'
  | 'hlc'
  | 'feed'
  | 'system'
  | 'interpretAs'
  | 'attested'
  | 'attestedKeyId'
  | 'sessionId'
  | 'assertedBy'
  | 'receivedFrom'
  | 'originNodeId';

/**
 * A predicate over one fact, in eight kinds of node and no more. The SQL compiler and `evaluateFilter` must agree on
 * every filter and every fact; a property test checks that. A comparison with a null member is false, as is its
 * absence: `not(above(validUntilMs, x))` holds for a null member.
 */
export type Filter =
  /** True when every part is; true when there is none. */
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
  /** True when some part is; false when there is none. */
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  /** Equality with one of the values; never true for `hlc` and `feed`, nor for an empty list. */
  | { readonly kind: 'in'; readonly field: FactField; readonly values: readonly (string | number | boolean)[] }
  /** Strictly greater. */
  | { readonly kind: 'above'; readonly field: FactField; readonly value: number | Hlc }
  /** Strictly less. */
  | { readonly kind: 'below'; readonly field: FactField; readonly value: number | Hlc }
  | { readonly kind: 'isNull'; readonly field: FactField }
  /** True when the table has a row for which every match and every condition holds. */
  | {
      readonly kind: 'inTable';
      readonly table: string;
      readonly match: readonly ColumnMatch[];
      readonly where: readonly ColumnCondition[];
      /**
       * A condition on the fact of the row: for the table `facts` the row itself, for others the fact named by
       * `fact_id`.
       */
      readonly whereFact?: Filter;
      /** Of the rows that `of` joins to the fact, only those with the latest stamp in `column` up to this one count. */
      readonly latest?: { readonly column: string; readonly upTo: Hlc; readonly of: readonly ColumnMatch[] };
    };

/**
 * Joins a column to a member of the fact: `column` is equal to `field`, different from it, or strictly above it. The
 * columns for a stamp are named by their prefix: `hlc` stands for the pair (`hlc_wall`, `hlc_ctr`), `feed` for
 * (`feed_wall`, `feed_ctr`). The table `facts` has a column `place` beside those that it stores.
 */
export interface ColumnMatch {
  readonly column: string;
  readonly is: 'equal' | 'other' | 'above';
  readonly field: FactField;
}

/** A condition on one column of the joined row. A null column satisfies `isNull` and `orNull` alone. */
export type ColumnCondition =
  | { readonly column: string; readonly in: readonly (string | number | boolean)[]; readonly orNull?: boolean }
  | { readonly column: string; readonly above: number | Hlc }
  | { readonly column: string; readonly below: number | Hlc }
  | { readonly column: string; readonly isNull: boolean };

export const all = (...of: readonly Filter[]): Filter => ({ kind: 'all', of });
export const any = (...of: readonly Filter[]): Filter => ({ kind: 'any', of });
export const not = (of: Filter): Filter => ({ kind: 'not', of });
export const isIn = (field: FactField, values: readonly (string | number | boolean)[]): Filter => ({
  kind: 'in',
  field,
  values,
});
export const equals = (field: FactField, value: string | number | boolean): Filter => ({
  kind: 'in',
  field,
  values: [value],
});
export const above = (field: FactField, value: number | Hlc): Filter => ({ kind: 'above', field, value });
export const below = (field: FactField, value: number | Hlc): Filter => ({ kind: 'below', field, value });
export const isNull = (field: FactField): Filter => ({ kind: 'isNull', field });
export const inTable = (
  table: string,
  match: readonly ColumnMatch[],
  where: readonly ColumnCondition[] = [],
): Filter => ({ kind: 'inTable', table, match, where });
