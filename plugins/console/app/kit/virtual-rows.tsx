import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { plural } from '../texts/texts.ts';
import { Problem } from './problem.tsx';
import { Loading } from './state.tsx';
import type { Paged } from './use-paged.ts';
import { useTexts } from './use-texts.ts';

const ROW_PIXELS = 64;
const OVERSCAN = 8;

interface RowsProps<Item> {
  readonly label: string;
  readonly paged: Paged<Item>;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** Index of a row to scroll into view. */
  readonly at?: number;
}

/**
 * A list of any length. The page holds only the visible rows, and the next page of items loads near the end. Rows are
 * measured, so their heights may differ.
 */
export const VirtualRows = <Item,>({ label, paged, keyOf, children, empty, at }: RowsProps<Item>) => {
  const { items, hasMore, isLoading, error, readMore, reload } = paged;
  const texts = useTexts();
  const frame = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer(items.length, frame, (at) => keyOf(items[at] as Item));
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (hasMore && last >= items.length - OVERSCAN) readMore();
  });
  useLayoutEffect(() => {
    if (at !== undefined && at >= 0) virtualizer.scrollToIndex(at);
  }, [at]);
  if (items.length === 0 && error === undefined) return isLoading ? <Loading /> : <>{empty}</>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls by itself has to be reached by keyboard
    <section class="rows" ref={frame} tabIndex={0} aria-label={label} aria-busy={isLoading}>
      <ul class="rows-all" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {shown.map(({ index, key, start }) => (
          <li
            key={key}
            aria-posinset={index + 1}
            aria-setsize={hasMore ? -1 : items.length}
            class="row"
            data-index={index}
            ref={(element) => virtualizer.measureElement(element)}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(items[index] as Item)}
          </li>
        ))}
      </ul>
      {error !== undefined && <Problem error={error} retry={items.length === 0 ? reload : readMore} />}
      <p class="rows-end muted" role="status">
        {isLoading ? `${texts.loading}…` : hasMore || error !== undefined ? '' : plural(texts.list.count, items.length)}
      </p>
    </section>
  );
};

const useVirtualizer = (
  count: number,
  frame: { readonly current: HTMLElement | null },
  keyAt: (at: number) => string,
) => {
  const [, draw] = useReducer((round: number) => round + 1, 0);
  const options = {
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PIXELS,
    getItemKey: keyAt,
    overscan: OVERSCAN,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
};
