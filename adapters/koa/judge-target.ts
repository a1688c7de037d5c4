import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { OutboundRules } from '../../ports/ports.ts';
import { isDeniedAddress, isInternalName } from './denied-addresses.ts';

/** Resolves a host name to all of its addresses; rejects when it has none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Checks only the spelling of an address. Returns the parsed URL, or the reason for a refusal. */
export const judgeTarget = (
  text: string,
  rules: OutboundRules,
): { readonly url: URL } | { readonly refusal: string } => {
  const { allowPrivate, ports } = rules;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return { refusal: 'the address to call is not a URL' };
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    return { refusal: `calls to ${url.protocol}// addresses are not made: give one that begins with https://` };
  }
  if (url.username !== '' || url.password !== '') return { refusal: 'the address to call must not hold a user name' };
  if (allowPrivate) return { url };
  const host = hostOf(url);
  const isDenied = isIP(host) === 0 ? isInternalName(host) : isDeniedAddress(host);
  if (isDenied) return { refusal: `calls to ${url.host} are not made: it is not a public address` };
  if (ports !== undefined && !ports.includes(portOf(url)))
    return { refusal: `only ports ${ports.join(' and ')} are called` };
  return { url };
};

/** Checks an address by its spelling and by the current addresses of its name. Returns the reason for a refusal. */
export const refusalOf = async (
  text: string,
  rules: OutboundRules & { readonly maybeLater?: boolean },
  resolve: Resolve,
): Promise<string | undefined> => {
  const judged = judgeTarget(text, rules);
  if ('refusal' in judged) return judged.refusal;
  const host = hostOf(judged.url);
  if (rules.allowPrivate || isIP(host) !== 0) return undefined;
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) return rules.maybeLater === true ? undefined : 'the name of the host has no address';
  const isDenied = addresses.some(({ address }) => isDeniedAddress(address));
  return isDenied ? 'the name of the host leads to an address that is not public' : undefined;
};

/** Returns the host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Returns the port, or the default port of the scheme, which a URL omits. */
const portOf = ({ port, protocol }: URL): number => (port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80);
