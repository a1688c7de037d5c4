import { hostAddresses } from './host-addresses.ts';

/** Returns an address of a database for people: without user, password and parameters. */
export const shownAddress = (url: string): string => {
  try {
    const [first, ...others] = hostAddresses(url).map((address) => new URL(address));
    if (first === undefined) return 'PostgreSQL';
    return `${first.protocol}//${[first, ...others].map(({ host }) => host).join()}${first.pathname}`;
  } catch {
    return 'PostgreSQL';
  }
};
