/**
 * Returns the RFC 8785 form of a scalar, for templates. `JSON.stringify` writes that form for well-formed strings and
 * finite numbers. Throws a TypeError for anything else, which is a bug of the caller.
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
