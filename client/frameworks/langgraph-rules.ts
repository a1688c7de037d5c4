/** Throws for a namespace that the framework does not allow. */
export const checkNamespace = (namespace: readonly string[]): void => {
  if (namespace.length === 0) throw new InvalidNamespaceError('a namespace needs a label');
  for (const label of namespace) {
    if (typeof label !== 'string' || label === '' || /[.:\0]/.test(label)) {
      throw new InvalidNamespaceError('a label is text without periods, colons and NUL, and is not empty');
    }
  }
};

/** Has the name of the framework's own error. */
class InvalidNamespaceError extends Error {
  override readonly name = 'InvalidNamespaceError';
}

type Comparison = (value: unknown, wanted: unknown) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
};

/** Returns whether a value fits a filter: an equal value, or an object of comparisons. */
export const fitsFilter: Comparison = (value, wanted) => {
  const isOperators =
    typeof wanted === 'object' &&
    wanted !== null &&
    Object.keys(wanted).every((name) => Object.hasOwn(COMPARISONS, name));
  if (!isOperators) return value === wanted;
  return Object.entries(wanted).every(([name, operand]) => COMPARISONS[name]?.(value, operand));
};

/** Returns whether a namespace begins or ends with a path, in which `*` stands for any label. */
export const fitsPath = (
  namespace: readonly string[],
  { matchType, path }: { readonly matchType: 'prefix' | 'suffix'; readonly path: readonly string[] },
): boolean => {
  const from = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.length <= namespace.length && path.every((label, at) => label === '*' || label === namespace[from + at]);
};
