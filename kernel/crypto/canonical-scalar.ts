/**
 * The RFC 8785 form of a scalar, for texts that a template writes. For well-formed strings and finite numbers,
 * `JSON.stringify` writes that form. Throws TypeError for anything else, which is a bug of the caller.
 */
export const canonicalScalar = (value: string | number | boolean | null): string => {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('text has a canonical form only while it is well-formed');
    return JSON.stringify(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('a number has a canonical form only while it is finite');
  }
  return String(value);
};
