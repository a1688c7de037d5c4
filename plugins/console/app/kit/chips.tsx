import { fill } from '../texts/texts.ts';
import { useTexts } from './use-texts.ts';

export interface Chip {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** The filters that hold, each with a button that takes it away. */
export const Chips = ({ chips, onRemove }: { chips: readonly Chip[]; onRemove: (name: string) => void }) => {
  const { filters } = useTexts();
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={filters.holding}>
      {chips.map(({ name, label, value }) => (
        <li key={name} class="chip">
          {label}: <bdi class="shown">{value}</bdi>
          <button
            type="button"
            class="link"
            aria-label={fill(filters.remove, { name: label, value })}
            onClick={() => onRemove(name)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
};
