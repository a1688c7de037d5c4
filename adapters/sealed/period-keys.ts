import { type ContentKeys, pathOfLabel, presentRoot } from './content-keys.ts';

const PERIOD_DIGITS = 10;
/** The last period that has a key. With one a day it comes after more than two thousand years. */
export const LAST_PERIOD = 4 ** PERIOD_DIGITS - 1;

/** Returns the path of the key of a table for the texts of one period. */
export const periodPath = ({ labelKey }: ContentKeys, table: string, period: number): string =>
  pathOfLabel(labelKey, ['periods', table]) + digitsOf(period);

/**
 * Returns the topmost paths that cover all keys of a table before the period `before`, without those whose keys all lie
 * before `from`.
 */
export const pathsOfPeriods = ({ labelKey }: ContentKeys, table: string, from: number, before: number): string[] => {
  const above = pathOfLabel(labelKey, ['periods', table]);
  const digits = digitsOf(before);
  return [...digits].flatMap((digit, at) => {
    const beside = Array.from({ length: Number(digit) }, (_, lower) => `${digits.slice(0, at)}${lower}`);
    return beside.filter((path) => path.padEnd(PERIOD_DIGITS, '3') >= digitsOf(from)).map((path) => above + path);
  });
};

const digitsOf = (period: number): string => period.toString(4).padStart(PERIOD_DIGITS, '0');

/** Returns the first period of which the present root has the key of a table. Those before it are all gone. */
export const firstPeriod = (keys: ContentKeys, table: string): number => {
  const { tree } = presentRoot(keys);
  let [from, to] = [0, LAST_PERIOD];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (tree.keyAt(periodPath(keys, table, middle)) === undefined) from = middle + 1;
    else to = middle;
  }
  return from;
};

/** Begins the next period, and destroys the keys of each table for all periods before the given one. */
export const withNextPeriod = (keys: ContentKeys, firsts: ReadonlyMap<string, number>): ContentKeys => {
  for (const [table, first] of firsts) {
    // Keeps the key of the present period even if a caller names a later one, because processes still seal with it.
    const doomed = pathsOfPeriods(keys, table, firstPeriod(keys, table), Math.min(first, keys.period));
    for (const { tree } of keys.roots) for (const path of doomed) tree.destroy(path);
  }
  return { ...keys, version: keys.version + 1, period: keys.period + 1 };
};
