import { hostAddresses } from './host-addresses.ts';

/** Returns an address of a database for people: without user, password and parameters. */
export const shownAddress = (url: string): string => {
  try {
    const named = url.replace('@/', '@localhost/');
    const [first, ...others] = hostAddresses(named).map((address) => new URL(address));
    if (first === undefined) return 'PostgreSQL';
    const given = first.searchParams.get('host');
    if (given !== null) return `${first.protocol}//${given}${first.pathname}`;
    return `${first.protocol}//${[first, ...others].map(({ host }) => host).join()}${first.pathname}`;
  } catch {
    return 'PostgreSQL';
  }
};
