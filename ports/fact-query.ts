import type { FactOutline } from './fact.ts';
import type { FactField, Filter } from './fact-filter.ts';

/** Scalars that both engines store alike. Booleans are stored as 0 and 1, and never returned as booleans. */
export type SqlValue = string | number | boolean | Uint8Array | null;
export type Row = Readonly<Record<string, SqlValue>>;

export type FactOrder = 'timestamp' | 'hlc' | 'feed' | 'any';

/** `strength`: confidence desc, hlc desc, id asc. */
export type OutlineOrder = FactOrder | 'strength';

export interface FactQuery {
  readonly filter: Filter;
  /**
   * The order of the facts. `timestamp`: timestamp desc, id desc. `hlc`: hlc desc, id desc. `feed`: feed asc. `any`:
   * the cheapest order, for facts with known ids.
   */
  readonly order: FactOrder;
  /** The position in the order after which the facts begin. */
  readonly after?: { readonly timestampMs: number; readonly id: string };
  readonly limit: number;
  /**
   * The maximum bytes (UTF-8) of the found values, after which the result ends. The first fact is always included.
   * Later values are not read.
   */
  readonly maxBytes?: number;
  /**
   * The long values to read; all of them without it. A fact whose value is left out has an empty text as its value, and
   * `unreadBytes`. A store may read values of a few kilobytes in any case. Never together with `maxBytes`.
   */
  readonly longValues?: LongValues;
  /**
   * Whether the facts are likely to be read again, so that the store may cache them and return cached ones after
   * checking that they are unchanged. The result is the same without it. Use it for look-ups of facts, not for reading
   * through many.
   */
  readonly mayCache?: boolean;
}

/** The limits of long values that a query reads. The first facts of the result come first. */
export interface LongValues {
  /** The maximum bytes (UTF-8) of one value. */
  readonly each: number;
  /** The maximum bytes of all of them together. */
  readonly total: number;
}

/** Reads no long value: for facts whose other members suffice. */
export const NO_LONG_VALUES: LongValues = { each: 0, total: 0 };

/** A sort order, and the maximum number of rows to return. */
export interface RowPage {
  /** The columns of the order, ascending. */
  readonly orderBy: readonly [string, ...string[]];
  readonly limit: number;
  /** An exclusive upper limit for the first column of the order. */
  readonly below?: string | undefined;
}

/** The position in the order of triples after which a page begins: the members of the last fact. */
export type TriplePosition = Pick<
  FactOutline,
  'entityKey' | 'relationKey' | 'scope' | 'gardenId' | 'confidence' | 'hlc' | 'id'
>;

/** A query for facts of one tenant, sorted by triple (entity and relation). */
export interface TripleQuery {
  readonly tenantId: string;
  readonly filter: Filter;
  /** The position after which the facts begin, even if no fact has this position. */
  readonly after?: TriplePosition | undefined;
  readonly limit: number;
}

/** A query for entities of one tenant, in the order of their keys (by bytes, ascending). */
export interface EntityQuery {
  readonly tenantId: string;
  /** The condition that at least one fact of each returned entity satisfies. */
  readonly filter: Filter;
  /** The place where the page begins: behind a key, or behind all keys that begin with a text. */
  readonly from: { readonly after: string } | { readonly beyond: string };
  /** The maximum number of entities that are looked at, those without such a fact included. */
  readonly limit: number;
}

export interface EntityPage {
  readonly keys: readonly string[];
  /**
   * The key of the last entity that was looked at; null at the end. The entity may be hidden from a caller, so callers
   * never get this key.
   */
  readonly last: string | null;
}

/** A query for the texts that a member has in facts of one tenant. */
export interface TextQuery {
  readonly tenantId: string;
  readonly field: Extract<FactField, 'entityKey' | 'relationKey' | 'sourceKey' | 'sessionId'>;
  /** The beginning of each text. */
  readonly prefix: string;
  /** A further condition on the facts. */
  readonly filter: Filter;
  readonly limit: number;
}
