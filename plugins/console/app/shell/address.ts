import { useLocation } from 'preact-iso/router';

/** All addresses of the console begin so. */
export const BASE = '/console/';

export type Query = Readonly<Record<string, string | undefined>>;

/** The address of a screen. Parameters without a value are left out; a key never belongs here. */
export const addressOf = (screen: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const text = new URLSearchParams(given).toString();
  return `${BASE}${screen}${text === '' ? '' : `?${text}`}`;
};

/** The screen and the parameters that the address names, and a way to others. */
export const useAddress = () => {
  const { path, query, route } = useLocation();
  const screen = path.slice(BASE.length).split('/')[0] || 'overview';
  return {
    screen,
    query: query as Readonly<Record<string, string | undefined>>,
    /** Leads to a screen; `replace` leaves no step in the history, for what changes with each key. */
    open: (target: string, given: Query = {}, replace = false): void => route(addressOf(target, given), replace),
  };
};
