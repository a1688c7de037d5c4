/**
 * Where the key of the reader is: in memory, or, where the reader wants to stay signed in over a reload, in the session
 * storage of the tab. It is never part of an address, and no other tab can read it.
 */
const PLACE = 'console.key';

export const readKeptKey = (): string | undefined => {
  try {
    return sessionStorage.getItem(PLACE) ?? undefined;
  } catch {
    // A browser may refuse storage altogether. The reader then signs in again after a reload.
    return undefined;
  }
};

export const keepKey = (key: string | undefined): void => {
  try {
    if (key === undefined) sessionStorage.removeItem(PLACE);
    else sessionStorage.setItem(PLACE, key);
  } catch {
    // As above.
  }
};
