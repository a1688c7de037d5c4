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
  /** The garden of the fact, or an empty text outside gardens. It is never null, so that facts of one place match. */
  | 'place'
  | 'cid'
  | 'confidence'
  | 'timestampMs'
  | 'validFromMs'
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
  | 'originNodeId'
  | 'speaker'
  | 'originId'
  /** The id at the origin of the fact, which is never null. */
  | 'idAtOrigin';

/**
 * A predicate over one fact, with exactly nine kinds of node. The SQL compiler and `evaluateFilter` must agree on
 * every filter and fact, which a property test checks. A comparison with a null member is false, so its negation is
 * true: `not(above(validUntilMs, x))` holds for a null member.
 */
export type Filter =
  /** True when every part is true, or when there is none. */
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
  /** True when some part is true; false when there is none. */
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  /** True when the member equals one of the values; never true for `hlc` and `feed`, nor for an empty list. */
  | { readonly kind: 'in'; readonly field: FactField; readonly values: readonly (string | number | boolean)[] }
  /** True when the member is strictly greater than the value. */
  | { readonly kind: 'above'; readonly field: FactField; readonly value: number | Hlc }
  /** True when the member is strictly less than the value. */
  | { readonly kind: 'below'; readonly field: FactField; readonly value: number | Hlc }
  | { readonly kind: 'isNull'; readonly field: FactField }
  /** True when the field is a text that begins with `text`. */
  | { readonly kind: 'startsWith'; readonly field: FactField; readonly text: string }
  /** True when the table has a row that satisfies every match and every condition. */
  | {
      readonly kind: 'inTable';
      readonly table: string;
      readonly match: readonly ColumnMatch[];
      readonly where: readonly ColumnCondition[];
      /**
       * A condition on the fact of the row: the row itself in the table `facts`, in others the fact named by `fact_id`.
       */
      readonly whereFact?: Filter;
      /** Limits the rows that `of` joins to the fact to those with the latest stamp in `column` up to this one. */
      readonly latest?: { readonly column: string; readonly upTo: Hlc; readonly of: readonly ColumnMatch[] };
    };

/**
 * Compares a column with a member of the fact: `column` is equal to `field`, different from it, or strictly above it. A
 * prefix names the columns of a stamp: `hlc` stands for the pair (`hlc_wall`, `hlc_ctr`), `feed` for (`feed_wall`,
 * `feed_ctr`). The table `facts` has the further column `place`.
 */
export interface ColumnMatch {
  readonly column: string;
  readonly is: 'equal' | 'other' | 'above';
  readonly field: FactField;
}

/** A condition on one column of the joined row. A null column satisfies only `isNull` and `orNull`. */
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

/**
 * Freezes a filter that never changes, so that a store can remember its statement. Only for filters that live as long
 * as the process: a store may keep each of them for ever.
 */
export const constantFilter = (filter: Filter): Filter => deepFrozen(filter);

const deepFrozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFrozen(part);
    Object.freeze(value);
  }
  return value;
};

export const above = (field: FactField, value: number | Hlc): Filter => ({ kind: 'above', field, value });
export const below = (field: FactField, value: number | Hlc): Filter => ({ kind: 'below', field, value });
export const isNull = (field: FactField): Filter => ({ kind: 'isNull', field });
export const startsWith = (field: FactField, text: string): Filter => ({ kind: 'startsWith', field, text });
export const inTable = (
  table: string,
  match: readonly ColumnMatch[],
  where: readonly ColumnCondition[] = [],
): Filter => ({ kind: 'inTable', table, match, where });
