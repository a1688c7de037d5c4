import type { FactOutline } from './fact.ts';
import type { Filter } from './fact-filter.ts';

/** Scalars that both engines store alike. Booleans become 0 and 1 on the way in and are never returned as booleans. */
export type SqlValue = string | number | boolean | Uint8Array | null;
export type Row = Readonly<Record<string, SqlValue>>;

export type FactOrder = 'timestamp' | 'hlc' | 'feed' | 'any';

export interface FactQuery {
  readonly filter: Filter;
  /**
   * `timestamp`: timestamp desc, id desc. `hlc`: hlc desc, id desc. `feed`: feed asc. `any`: the cheapest, for facts
   * whose ids are known.
   */
  readonly order: FactOrder;
  /** Only facts strictly beyond this position of the order. */
  readonly after?: { readonly timestampMs: number; readonly id: string };
  readonly limit: number;
  /**
   * Ends with the fact whose value brings the values found to so many bytes (UTF-8), so that the first fact always
   * comes. Later values are not read, at any number and length.
   */
  readonly maxBytes?: number;
  /**
   * The facts are likely to be read again: the store may cache them, and return from its cache those that it finds
   * unchanged. The answer is the same without it. For look-ups of facts, not for walking through many.
   */
  readonly mayCache?: boolean;
}

/** The first rows in an order. */
export interface RowPage {
  /** Columns, ascending. */
  readonly orderBy: readonly [string, ...string[]];
  readonly limit: number;
  /** Only rows whose first column of the order is less. */
  readonly below?: string | undefined;
}

/** Where a page of facts in the order of triples begins: after the fact with these members. */
export type TriplePosition = Pick<
  FactOutline,
  'entityKey' | 'relationKey' | 'scope' | 'gardenId' | 'confidence' | 'hlc' | 'id'
>;

/** Facts of one tenant, triple by triple. */
export interface TripleQuery {
  readonly tenantId: string;
  readonly filter: Filter;
  /** Only facts strictly beyond this position, even if no fact is there. */
  readonly after?: TriplePosition | undefined;
  readonly limit: number;
}
