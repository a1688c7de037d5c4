export type QueryValue = string | number | boolean | null | undefined | object;

/** The query of a URL. A list becomes one parameter per item, an object JSON; undefined and null are left out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/**
 * The base address of a node. Throws a TypeError for anything but http and https, for credentials in the address, and
 * for a query or fragment. The address is not repeated in the message.
 */
export const readBaseUrl = (text: string): string => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError('the url of the node must be an absolute address such as http://127.0.0.1:8765');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('the url must begin with http or https');
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('the url must not hold credentials; pass the key as "key"');
  }
  if (url.search !== '' || url.hash !== '') throw new TypeError('the url must not have a query or a fragment');
  return url.origin + url.pathname.replace(/\/+$/, '');
};

/** The method and the path of a route such as `GET /v1/facts`. Throws a TypeError for any other text. */
export const splitRoute = (route: string): readonly [method: string, path: string] => {
  const [, method, path] = /^([a-z]+) (\/.*)$/is.exec(route) ?? [];
  if (method === undefined || path === undefined) {
    throw new TypeError('a route is a method and a path, such as "GET /v1/facts"');
  }
  return [method, path];
};

/** The path with its parameters in place, percent-encoded as single segments. Throws a TypeError for a missing one. */
export const fillPath = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${path} needs the parameter "${name}"`);
    // Every URL parser treats these as steps through the path, in any encoding.
    if (value === '.' || value === '..') throw new TypeError(`the parameter "${name}" cannot be sent in a path`);
    if (!value.isWellFormed()) throw new TypeError(`the parameter "${name}" is not well-formed text`);
    return encodeURIComponent(value);
  });

/**
 * `?a=1&b=2`, or nothing. A list without values becomes an empty value, because without its parameter the request would
 * ask for everything. Throws a TypeError for text that is not well-formed.
 */
export const spellQuery = (query: Query = {}): string => {
  const pairs = new URLSearchParams();
  for (const [name, given] of Object.entries(query)) {
    const values = (Array.isArray(given) ? (given as readonly QueryValue[]) : [given as QueryValue]).filter(
      (value) => value !== undefined && value !== null,
    );
    if (Array.isArray(given) && values.length === 0) pairs.append(name, '');
    for (const value of values) {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      if (!text.isWellFormed()) throw new TypeError(`the parameter "${name}" is not well-formed text`);
      pairs.append(name, text);
    }
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
};
