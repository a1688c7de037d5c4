import { parseNetwork } from '../net/ip-network.ts';

const MOST_PORT = 65_535;

/** Returns whether a text is an http URL without user and password, which would appear wherever the URL does. */
const isHttpUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
};

/**
 * Returns whether a text is an origin (RFC 6454) of any scheme, even that of an application or a browser extension. A
 * path, a wildcard and `null` are not.
 */
const isOrigin = (text: string): boolean => ORIGIN.test(text) && Number(/:(\d+)$/.exec(text)?.[1] ?? 0) <= MOST_PORT;

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::\d{1,5})?$/i;

/** The checks of the formats that settings may have, by name. */
export const SETTING_FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['uri', (text: string) => URL.canParse(text)],
  ['http-url', isHttpUrl],
  ['base-url', (text: string) => isHttpUrl(text) && !/[?#]/.test(text)],
  ['origin', isOrigin],
  ['ip-network', (text: string) => parseNetwork(text) !== undefined],
]);

/** Returns whether a text has a format; false when the format is unknown. */
export const fitsFormat = (format: string, text: string): boolean => SETTING_FORMATS.get(format)?.(text) ?? false;
