import { useRef, useState } from 'preact/hooks';

/** The most items that one action changes, so that its preview can be read. */
const MOST_SELECTED = 500;

/** The items of a list that the reader has selected. */
export interface Selection<Item> {
  readonly items: readonly Item[];
  /** True if every item that can be selected is. */
  readonly isAll: boolean;
  has(item: Item): boolean;
  /** Selects an item, or takes it back; with `isRange`, every item from the last one on. */
  toggle(item: Item, isRange: boolean): void;
  /** Selects all items, or none if all are selected. */
  toggleAll(): void;
  clear(): void;
}

/** Keeps a selection among the items of a list. An item that leaves the list is no longer selected. */
export const useSelection = <Item>(list: readonly Item[], keyOf: (item: Item) => string): Selection<Item> => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | undefined>(undefined);
  const items = list.filter((item) => keys.has(keyOf(item)));
  const isAll = items.length > 0 && items.length === Math.min(list.length, MOST_SELECTED);
  const keep = (chosen: readonly string[]): void => setKeys(new Set(chosen.slice(0, MOST_SELECTED)));
  return {
    items,
    isAll,
    has: (item) => keys.has(keyOf(item)),
    toggle(item, isRange) {
      const key = keyOf(item);
      const before = items.map(keyOf);
      const from = isRange ? list.findIndex((each) => keyOf(each) === last.current) : -1;
      last.current = key;
      if (from >= 0) {
        const to = list.indexOf(item);
        keep([...before, ...list.slice(Math.min(from, to), Math.max(from, to) + 1).map(keyOf)]);
      } else keep(keys.has(key) ? before.filter((each) => each !== key) : [...before, key]);
    },
    toggleAll: () => keep(isAll ? [] : list.map(keyOf)),
    clear: () => keep([]),
  };
};
