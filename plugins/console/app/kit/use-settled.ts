import { useEffect, useState } from 'preact/hooks';
import { later } from './platform.ts';

const PAUSE_MS = 250;

/** A value that changes with each key, once the reader pauses: the node is asked then, and not for each letter. */
export const useSettled = <T>(value: T): T => {
  const [settled, settle] = useState(value);
  useEffect(() => later(PAUSE_MS, () => settle(value)), [value]);
  return settled;
};
