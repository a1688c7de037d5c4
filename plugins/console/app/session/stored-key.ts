import { consolePath } from '../kit/platform.ts';

/**
 * Holds the reader's key: in memory, or in the session storage of the tab if the reader stays signed in over a reload.
 * It is never part of an address, and no other tab can read it. Each node below a path of one host has its own place.
 */
const place = (): string => `console.key ${consolePath()}`;

export const readStoredKey = (): string | undefined => {
  try {
    return sessionStorage.getItem(place()) ?? undefined;
  } catch {
    // A browser may deny storage. Then the reader signs in again after a reload.
    return undefined;
  }
};

export const storeKey = (key: string | undefined): void => {
  try {
    if (key === undefined) sessionStorage.removeItem(place());
    else sessionStorage.setItem(place(), key);
  } catch {
    // A browser may deny storage.
  }
};
