import { useRef } from 'preact/hooks';
import type { Paged } from './use-paged.ts';

/**
 * Keeps the items of the previous list visible until the first page of the next one arrives, so that the page does not
 * jump.
 */
export const usePreviousItems = <Item>(paged: Paged<Item>): Paged<Item> => {
  const last = useRef(paged.items);
  if (!paged.isLoading || paged.items.length > 0) last.current = paged.items;
  return { ...paged, items: last.current };
};
