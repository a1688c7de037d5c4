import type { RouteHeader } from '../../kernel/plugin-api.ts';

/** The headers by which the node recognises forms of its own pages. */
export const PAGE_HEADERS: Readonly<Record<string, RouteHeader>> = {
  Origin: { summary: 'The origin of the page that sends the form; the node accepts only its own' },
  'Sec-Fetch-Site': { summary: 'The relation of the sending page to this node; the node accepts only `same-origin`' },
  Cookie: { summary: 'Ties the consent page to the browser in which the person signed in', isCredential: true },
};

interface SentForm {
  header(name: string): string | undefined;
}

/**
 * Returns whether a form comes from a page of this node. A page of another site could send it without the person's
 * knowledge.
 */
export const isOwnForm = ({ header }: SentForm, nodeUrl: string): boolean => {
  const origin = header('origin');
  const site = header('sec-fetch-site');
  return (origin === undefined || origin === new URL(nodeUrl).origin) && (site === undefined || site === 'same-origin');
};

/** Returns the name of the cookie. Only this host can set a cookie with the prefix `__Host-`, and only over https. */
const nameFor = (nodeUrl: string): string => (nodeUrl.startsWith('https:') ? '__Host-consent' : 'consent');

/**
 * Returns a `Set-Cookie` value that stores a text in the browser for `seconds`, hidden from scripts and other sites.
 */
export const browserCookie = (nodeUrl: string, value: string, seconds: number): string => {
  const secure = nodeUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameFor(nodeUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
};

/** Returns the text of the cookie that `browserCookie` has set; undefined without one. */
export const keptInBrowser = ({ header }: SentForm, nodeUrl: string): string | undefined => {
  const name = `${nameFor(nodeUrl)}=`;
  const cookies = (header('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length);
};
