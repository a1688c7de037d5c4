import { isLoopbackHost } from '../../kernel/internal-api.ts';

const MAX_LENGTH = 2_048;

/** Private schemes without a dot that known programs use. Any other private scheme must contain a dot (RFC 8252). */
const PROGRAM_SCHEMES: ReadonlySet<string> = new Set([
  'claude:',
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
  'zed:',
]);

/**
 * Returns whether a client may register this redirect address: https, http on the person's own machine, or a private
 * scheme of a program. A browser would run or show other schemes itself.
 */
export const isRedirectUri = (uri: string): boolean => {
  if (uri.length > MAX_LENGTH || !VISIBLE.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '' || uri.includes('#')) return false;
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return isLoopbackHost(hostname);
  return PROGRAM_SCHEMES.has(protocol) || REVERSE_DOMAIN.test(protocol);
};

/** Excludes the backslash and white space, which URL parsers treat differently. */
const VISIBLE = /^[\x21-\x5b\x5d-\x7e]+$/;
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;

/**
 * Returns whether a registered address permits the requested one. The port of a loopback address may differ, because
 * programs choose it at each start.
 */
export const permitsRedirect = (registered: string, asked: string): boolean => {
  if (registered === asked) return true;
  if (!isRedirectUri(asked)) return false;
  const one = withoutLoopbackPort(registered);
  return one !== undefined && one === withoutLoopbackPort(asked);
};

const withoutLoopbackPort = (uri: string): string | undefined => {
  const found = LOOPBACK.exec(uri);
  return found === null ? undefined : `${found[1]}${found[2]}`;
};

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

/** Returns the part of an address to show to people: its host, or the private scheme of a program. */
export const shownHost = (uri: string): string => {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1);
};

/** Returns the content security policy source that allows a form to redirect to this address. */
export const policySource = (uri: string): string => {
  const { protocol, hostname, origin } = new URL(uri);
  if (protocol === 'https:') return origin;
  // A policy cannot name an IPv6 address.
  if (protocol === 'http:') return hostname.startsWith('[') ? 'http:' : `http://${hostname}:*`;
  return protocol;
};

/** Returns the address with further query parameters. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
};
