import type { RouteHeader } from '../../kernel/plugin-api.ts';

export const COOKIE_HEADER: Readonly<Record<string, RouteHeader>> = {
  Cookie: { summary: 'Ties a page to the browser in which the person signs in', isCredential: true },
};

/** The headers by which the node recognises forms of its own pages. */
export const PAGE_HEADERS: Readonly<Record<string, RouteHeader>> = {
  Origin: { summary: 'The origin of the sending page; the node accepts only its own' },
  'Sec-Fetch-Site': { summary: 'The relation of the sending page to this node; the node accepts only `same-origin`' },
  ...COOKIE_HEADER,
};

interface SentRequest {
  header(name: string): string | undefined;
}

/**
 * Returns whether a form or link comes from a page of this node. A page of another site could send it without the
 * person's knowledge.
 */
export const isFromOwnPage = ({ header }: SentRequest, nodeUrl: string): boolean => {
  const origin = header('origin');
  const site = header('sec-fetch-site');
  return (origin === undefined || origin === new URL(nodeUrl).origin) && (site === undefined || site === 'same-origin');
};

/** Returns the name of the cookie. Only this host can set a cookie with the prefix `__Host-`, and only over https. */
const nameFor = (nodeUrl: string): string => (nodeUrl.startsWith('https:') ? '__Host-consent' : 'consent');

/**
 * Returns a `Set-Cookie` value that stores a text in the browser, hidden from scripts and other sites. With `Lax` the
 * browser also sends it with a navigation from another site.
 */
export const browserCookie = (
  nodeUrl: string,
  value: string,
  { seconds, sameSite = 'Strict' }: { readonly seconds: number; readonly sameSite?: 'Strict' | 'Lax' },
): string => {
  const secure = nodeUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameFor(nodeUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
};

/** Returns the text of the cookie that `browserCookie` has set; undefined without one. */
export const keptInBrowser = ({ header }: SentRequest, nodeUrl: string): string | undefined => {
  const name = `${nameFor(nodeUrl)}=`;
  const cookies = (header('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length);
};
