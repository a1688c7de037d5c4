import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../shell/address.ts';
import { useDebounced } from './use-debounced.ts';

/** The search words of a screen. */
export interface Words {
  /** The words as typed so far. */
  readonly typed: string;
  /** The words after trimming and debouncing, also stored in the address. */
  readonly settled: string;
  type(words: string): void;
}

/** Search words that the address holds. A step in the history restores them. */
export const useSearchWords = (screen: string, isOffered = true): Words => {
  const { query, open } = useAddress();
  const kept = isOffered ? (query.q ?? '') : '';
  const [typed, type] = useState(kept);
  const settled = useDebounced(typed.trim());
  const known = useRef(kept);
  useLayoutEffect(() => {
    if (settled === kept) return;
    known.current = settled;
    open(screen, { ...query, q: settled }, true);
  }, [settled]);
  useLayoutEffect(() => {
    // A change that came from typing is ignored, because more may have been typed since.
    if (kept === known.current) return;
    known.current = kept;
    type(kept);
  }, [kept]);
  return { typed, settled, type };
};
