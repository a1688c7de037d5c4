import type { Hlc, StoredFact } from '../../ports/fact.ts';
import type { FactField, Filter } from '../../ports/fact-filter.ts';
import { compareHlc } from '../time/hybrid-logical-clock.ts';

export type InTableFilter = Extract<Filter, { kind: 'inTable' }>;

/** Returns whether the node's table has a row that matches the fact. */
export type RowExists = (node: InTableFilter, fact: StoredFact) => Promise<boolean>;

/**
 * Evaluates a filter on one fact as the store would. Two-valued: a comparison with a null member is false, so its
 * negation is true. Values of another type than the member are never equal, above or below; booleans count as 0 and 1,
 * as in the store. `exists` is called only when the outcome depends on it, in the order of the filter.
 */
export const evaluateFilter = async (filter: Filter, fact: StoredFact, exists: RowExists): Promise<boolean> => {
  switch (filter.kind) {
    case 'all':
      for (const part of filter.of) if (!(await evaluateFilter(part, fact, exists))) return false;
      return true;
    case 'any':
      for (const part of filter.of) if (await evaluateFilter(part, fact, exists)) return true;
      return false;
    case 'not':
      return !(await evaluateFilter(filter.of, fact, exists));
    case 'in':
      return isOneOf(memberOf(fact, filter.field), filter.values);
    case 'above':
      return compare(memberOf(fact, filter.field), filter.value) > 0;
    case 'below':
      return compare(memberOf(fact, filter.field), filter.value) < 0;
    case 'isNull':
      return memberOf(fact, filter.field) === null;
    case 'startsWith':
      return beginsWith(memberOf(fact, filter.field), filter.text);
    case 'inTable':
      return exists(filter, fact);
  }
};

type Member = string | number | boolean | Hlc | null;

/** Returns the member of a fact that a filter names. */
export const memberOf = (fact: StoredFact, field: FactField): Member => {
  if (field === 'interpretAs') return fact.value.interpretAs;
  if (field === 'idAtOrigin') return fact.originId ?? fact.id;
  return field === 'place' ? (fact.gardenId ?? '') : fact[field];
};

const isOneOf = (member: Member, values: readonly (string | number | boolean)[]): boolean => {
  if (member === null || typeof member === 'object') return false;
  const sought = asStored(member);
  return values.some((value) => asStored(value) === sought);
};

const beginsWith = (member: Member, text: string): boolean =>
  typeof member === 'string' && text.isWellFormed() && member.startsWith(text);

const asStored = (value: string | number | boolean): string | number =>
  typeof value === 'boolean' ? Number(value) : value;

/** Compares two values. Returns NaN, which is neither above nor below, for values that cannot be compared. */
const compare = (member: Member, value: number | Hlc): number => {
  if (member === null || typeof member === 'string') return Number.NaN;
  if (typeof member === 'object') return typeof value === 'object' ? compareHlc(member, value) : Number.NaN;
  return typeof value === 'object' ? Number.NaN : Number(member) - value;
};
