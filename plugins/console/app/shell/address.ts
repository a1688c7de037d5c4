import { useLocation } from 'preact-iso/router';
import { consolePath } from '../kit/platform.ts';

export type Query = Readonly<Record<string, string | undefined>>;

/** The address of a screen. Leaves out parameters without a value. It must never contain a key. */
export const addressOf = (screen: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const text = new URLSearchParams(given).toString();
  return `${consolePath()}${screen}${text === '' ? '' : `?${text}`}`;
};

/** The screen and the parameters of the address, and a way to open others. */
export const useAddress = () => {
  const { path, query, route } = useLocation();
  const screen = path.slice(consolePath().length).split('/')[0] || 'overview';
  return {
    screen,
    query: query as Readonly<Record<string, string | undefined>>,
    /** Opens a screen. `replace` adds no step to the history, for values that change with each key. */
    open: (target: string, given: Query = {}, replace = false): void => route(addressOf(target, given), replace),
  };
};
