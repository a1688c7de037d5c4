import type { FactValue, Assertion as SentAssertion } from './api-types.ts';

/** A value with its type, as the protocol spells it. `text` holds at most 1 MiB, `string` at most 16 KiB. */
export interface TypedValue {
  readonly type: FactValue['type'];
  readonly v?: FactValue['v'];
  /** `instruction` needs a permission of its own. Default: `content`. */
  readonly interpret_as?: FactValue['interpret_as'] | undefined;
}

/** A value, or its short form: text, a number, a boolean, null, or a `Date`. */
export type ValueInput = TypedValue | string | number | boolean | null | Date;

/** A fact to assert. */
export interface Assertion {
  readonly entity: string;
  readonly relation: string;
  readonly value: ValueInput;
  /** The source. Default: the `source` of the client. */
  readonly source?: string | undefined;
  /** From 0 to 1. Default: 1. */
  readonly confidence?: number | undefined;
  /** Default: `company`. */
  readonly scope?: 'local' | 'team' | 'company' | 'public' | undefined;
  /** RFC 3339. The fact is hidden from then on. */
  readonly valid_from?: string | null | undefined;
  readonly valid_until?: string | null | undefined;
  /** RFC 3339. Default: now. */
  readonly timestamp?: string | undefined;
  /** URI, id or slug. */
  readonly garden_id?: string | null | undefined;
  readonly write_mode?: 'assert' | 'summarize_with_provenance' | undefined;
  /**
   * The ids of live facts of the triple and place, if the fact shall end only these. The node refuses the fact once one
   * of them has ended.
   */
  readonly replaces?: readonly string[] | undefined;
  /** The reason, at most 500 characters. The node stores it in a system fact about this one. */
  readonly reason?: string | undefined;
  /** The sources of the fact: content ids, or ids of facts. */
  readonly derived_from?: readonly (string | { readonly fact_id?: string; readonly hash?: string })[] | undefined;
  readonly attestation?: { readonly key_id: string; readonly signature: string } | null | undefined;
}

/** The triple that a retraction ends, or the facts of it that `replaces` names. */
export type Retraction = Pick<
  Assertion,
  'entity' | 'relation' | 'source' | 'scope' | 'garden_id' | 'replaces' | 'attestation'
>;

/** The scope of an assertion that names none. */
export const WRITTEN_SCOPE = 'company' as const;

/** The value of a retraction; only its confidence of 0 counts. */
const RETRACTED: TypedValue = { type: 'string', v: 'retracted' };

export const typedValue = (value: ValueInput): TypedValue => {
  if (value === null) return { type: 'null', v: null };
  if (typeof value === 'string') return { type: 'string', v: value };
  if (typeof value === 'number') return { type: 'number', v: value };
  if (typeof value === 'boolean') return { type: 'boolean', v: value };
  return value instanceof Date ? { type: 'datetime', v: value.toISOString() } : value;
};

/** The body of an assertion, with the defaults of the protocol for clients. The node refuses one without a source. */
export const assertionBody = ({ value, ...others }: Assertion, source: string | undefined): SentAssertion =>
  ({
    source,
    confidence: 1,
    scope: WRITTEN_SCOPE,
    ...present(others),
    value: typedValue(value),
  }) as SentAssertion;

/** A retraction is a fact of the same triple with confidence 0. */
export const retractionBody = (triple: Retraction, source: string | undefined): SentAssertion => ({
  ...assertionBody({ ...triple, value: RETRACTED }, source),
  confidence: 0,
});

/** Removes undefined members, so that they do not replace a default. */
export const present = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
