import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../shell/address.ts';
import { useSettled } from './use-settled.ts';

/** Words that a reader searches a screen for. */
export interface Words {
  /** As they are typed. */
  readonly typed: string;
  /** Once the reader pauses, without white space around them. The address has them, too. */
  readonly settled: string;
  type(words: string): void;
}

/** Words of a search, which the address keeps: a step to another address of the screen brings what it has. */
export const useWords = (screen: string, isOffered = true): Words => {
  const { query, open } = useAddress();
  const kept = isOffered ? (query.q ?? '') : '';
  const [typed, type] = useState(kept);
  const settled = useSettled(typed.trim());
  const known = useRef(kept);
  useEffect(() => {
    if (settled === kept) return;
    known.current = settled;
    open(screen, { ...query, q: settled }, true);
  }, [settled]);
  useEffect(() => {
    // Words that the reader has put there stay as they are: more may have been typed since.
    if (kept === known.current) return;
    known.current = kept;
    type(kept);
  }, [kept]);
  return { typed, settled, type };
};
