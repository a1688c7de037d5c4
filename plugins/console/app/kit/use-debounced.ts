import { useLayoutEffect, useState } from 'preact/hooks';
import { later } from './platform.ts';

const PAUSE_MS = 250;

/** Debounces a value that changes with each key, so that the node is not asked for every letter. */
export const useDebounced = <T>(value: T): T => {
  const [settled, settle] = useState(value);
  useLayoutEffect(() => later(PAUSE_MS, () => settle(value)), [value]);
  return settled;
};
