/** A placeholder for any text: an id, an instant, a digest, more elements. */
const ANYTHING = '…';

/** Returns the differences between a JSON value and the one on a page; members that the page omits are ignored. */
export const differencesFromShown = (shown: unknown, actual: unknown, path = 'answer'): string[] => {
  if (typeof shown === 'string' && typeof actual === 'string')
    return fitsShownText(shown, actual) ? [] : [`${path}: ${JSON.stringify(actual)} is shown as "${shown}"`];
  if (shown === ANYTHING && actual !== undefined) return [];
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const open = shown.at(-1) === ANYTHING;
    const named = open ? shown.slice(0, -1) : shown;
    if (open ? actual.length < named.length : actual.length !== named.length)
      return [`${path}: has ${actual.length} elements and is shown with ${named.length}`];
    return named.flatMap((element, at) => differencesFromShown(element, actual[at], `${path}[${at}]`));
  }
  if (isRecord(shown) && isRecord(actual))
    return Object.entries(shown).flatMap(([name, value]) =>
      differencesFromShown(value, actual[name], `${path}.${name}`),
    );
  return Object.is(shown, actual) ? [] : [`${path}: ${JSON.stringify(actual)} is shown as ${JSON.stringify(shown)}`];
};

/** Returns whether the text matches the shown one, in which each ellipsis stands for any text. */
export const fitsShownText = (shown: string, actual: string): boolean =>
  new RegExp(`^${shown.split(ANYTHING).map(escaped).join('.*')}$`, 's').test(actual);

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
