import { useRef } from 'preact/hooks';
import type { Paged } from './use-paged.ts';

/** A list whose last items stay in sight until the first page of the next is there, so that the page does not jump. */
export const useKept = <Item>(paged: Paged<Item>): Paged<Item> => {
  const last = useRef(paged.items);
  if (!paged.isLoading || paged.items.length > 0) last.current = paged.items;
  return { ...paged, items: last.current };
};
