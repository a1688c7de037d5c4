import type { ComponentChildren } from 'preact';
import { fill, plural } from '../texts/texts.ts';
import type { Selection } from './use-selection.ts';
import { useTexts } from './use-texts.ts';

interface SelectBoxProps<Item> {
  readonly item: Item;
  /** The item in words, for screen readers. */
  readonly name: string;
  readonly selection: Selection<Item>;
}

/** Selects one item of a list. With the shift key, it selects every item from the last one on. */
export const SelectBox = <Item,>({ item, name, selection }: SelectBoxProps<Item>) => {
  const { bulk: texts } = useTexts();
  return (
    <input
      type="checkbox"
      class="select-box"
      aria-label={fill(texts.select, { name })}
      checked={selection.has(item)}
      onClick={({ shiftKey }) => selection.toggle(item, shiftKey)}
    />
  );
};

interface SelectBarProps<Item> {
  readonly selection: Selection<Item>;
  /** The actions on the selected items. */
  readonly children: ComponentChildren;
}

/** Selects all items of a list, and offers actions once something is selected. */
export const SelectBar = <Item,>({ selection, children }: SelectBarProps<Item>) => {
  const { bulk: texts } = useTexts();
  const count = selection.items.length;
  return (
    <div class="bar select-bar">
      <label class="switch">
        <input type="checkbox" checked={selection.isAll} onClick={selection.toggleAll} />
        {texts.all}
      </label>
      <span class="muted" role="status">
        {count > 0 && plural(texts.selected, count)}
      </span>
      {count > 0 && children}
    </div>
  );
};
