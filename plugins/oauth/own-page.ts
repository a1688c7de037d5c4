import type { RouteHeader } from '../../kernel/plugin-api.ts';

/** The headers by which the node recognises a form of its own page. */
export const PAGE_HEADERS: Readonly<Record<string, RouteHeader>> = {
  Origin: { summary: 'The origin of the page that sends the form; only the own one is taken' },
  'Sec-Fetch-Site': { summary: 'What a browser says about the sender; only `same-origin` is taken' },
  Cookie: { summary: 'Ties the consent page to the browser in which the person signed in', isCredential: true },
};

interface SentForm {
  header(name: string): string | undefined;
}

/** Returns whether a form comes from a page of this node. Other pages could send it in the name of the person. */
export const isOwnForm = ({ header }: SentForm, nodeUrl: string): boolean => {
  const origin = header('origin');
  const site = header('sec-fetch-site');
  return (origin === undefined || origin === new URL(nodeUrl).origin) && (site === undefined || site === 'same-origin');
};

/** A prefix that no other host and no plain page can set. Without https, browsers take no such cookie. */
const nameFor = (nodeUrl: string): string => (nodeUrl.startsWith('https:') ? '__Host-consent' : 'consent');

/** Returns the header that keeps a text in the browser for `seconds`, hidden from scripts and from other sites. */
export const browserCookie = (nodeUrl: string, value: string, seconds: number): string => {
  const secure = nodeUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameFor(nodeUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
};

/** Returns the text that `browserCookie` has kept; undefined for none. */
export const keptInBrowser = ({ header }: SentForm, nodeUrl: string): string | undefined => {
  const name = `${nameFor(nodeUrl)}=`;
  const cookies = (header('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length);
};
