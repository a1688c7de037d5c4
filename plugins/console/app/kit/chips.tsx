import { fill } from '../texts/texts.ts';
import { ShownText } from './shown-text.tsx';
import { useTexts } from './use-texts.ts';

/** Bounds the part of a value that screen readers announce. */
const SPOKEN_CHARACTERS = 80;

export interface Chip {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** The text to show instead of the value, such as the name behind an identifier. */
  readonly shown?: string;
  /** True if the list ignores the filter at present. */
  readonly isIdle?: boolean;
}

/** The active filters, each with a button that removes it. */
export const Chips = ({ chips, onRemove }: { chips: readonly Chip[]; onRemove: (name: string) => void }) => {
  const { filters } = useTexts();
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={filters.holding}>
      {chips.map(({ name, label, value, shown = value, isIdle = false }) => (
        <li key={name} class={isIdle ? 'chip idle' : 'chip'} title={isIdle ? filters.idle : undefined}>
          {label}: <ShownText text={shown} />
          <button
            type="button"
            class="link"
            aria-label={fill(filters.remove, { name: label, value: shown.slice(0, SPOKEN_CHARACTERS) })}
            onClick={() => onRemove(name)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
};
