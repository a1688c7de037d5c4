/**
 * Masks secrets in the URLs of a text: user and password, every value of a query, the fragment. Names of parameters
 * stay, because they tell an operator which URL it is. For all output: settings, log lines, messages. Returns a text
 * without a URL unchanged.
 */
export const maskUrls = (text: string): string => (text.includes('://') ? text.replace(AFTER_SCHEME, mask) : text);

/** Masks secrets in the URLs of every text inside a JSON value. */
export const maskUrlsIn = (value: unknown): unknown => withTexts(value, maskUrls);

/** Returns a JSON value with `change` applied to each text and each member name. */
export const withTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return withTexts(value.toJSON(), change);
  if (Array.isArray(value)) return value.map((member) => withTexts(member, change));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), withTexts(member, change)]));
};

/**
 * Matches until the end of a URL in prose and in JSON. A password that is not encoded may hold such characters too, so
 * everything before an `@` belongs to the URL. The bounds make the time linear. URLs of files are skipped: they have no
 * users, and stacks are full of them.
 */
const AFTER_SCHEME = /(?<!\bfile):\/\/(?:[^\s@]{0,512}@){0,4}[^\s"'<>`\\]+/g;
const MASK = '***';

const mask = (found: string): string => {
  const [, authority = '', path = '', query, fragment] = PARTS.exec(found) ?? [];
  // Masks everything when the rest contains another `@`, because the password may be unencoded and contain any part.
  if (found.includes('@', '://'.length + authority.length)) return `://${MASK}`;
  const at = authority.lastIndexOf('@');
  const host = at === -1 ? authority : `${MASK}${authority.slice(at)}`;
  return `://${host}${path}${maskQuery(query)}${fragment === undefined ? '' : `#${MASK}`}`;
};

const PARTS = /^:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

const maskQuery = (query: string | undefined): string => {
  if (query === undefined) return '';
  const parts = query.split('&').map((part) => {
    const equals = part.indexOf('=');
    // Masks a query part without a name as a whole.
    return equals === -1 ? MASK : `${part.slice(0, equals)}=${MASK}`;
  });
  return `?${parts.join('&')}`;
};
