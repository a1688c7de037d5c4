import canonicalize from 'canonicalize';
import { ServiceError } from '../../ports/service-error.ts';

/** The maximum nesting. The canonical form is built by recursion, and no accepted body nests further. */
export const MAX_CANONICAL_DEPTH = 128;

/**
 * Returns the RFC 8785 form of a JSON value: null, booleans, finite numbers, well-formed strings, arrays and plain
 * objects of these. Throws `ServiceError('validation')` for everything else. Nothing is dropped or converted, because a
 * signature must cover exactly the given value.
 */
export const canonicalJson = (value: unknown): string => {
  refuseUnlessJson(value, 0);
  return (canonicalize as unknown as (value: unknown) => string)(value);
};

const refuseUnlessJson = (value: unknown, depth: number): void => {
  if (depth > MAX_CANONICAL_DEPTH) throw refusal(`nests deeper than ${MAX_CANONICAL_DEPTH} levels`);
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    refuseUnlessWellFormed(value);
    return;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refusal('holds a number that is not finite');
    return;
  }
  if (Array.isArray(value)) {
    // Checks by index, because an array with holes must not count as one with nulls.
    for (let at = 0; at < value.length; at += 1) refuseUnlessJson(value[at], depth + 1);
    return;
  }
  if (typeof value !== 'object' || !isPlain(value)) throw refusal('holds something that JSON has no form for');
  for (const [name, member] of Object.entries(value)) {
    refuseUnlessWellFormed(name);
    refuseUnlessJson(member, depth + 1);
  }
};

const refuseUnlessWellFormed = (text: string): void => {
  if (!text.isWellFormed()) throw refusal('holds a lone surrogate');
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const refusal = (problem: string): ServiceError =>
  new ServiceError('validation', `the document has no canonical form: it ${problem}`);
