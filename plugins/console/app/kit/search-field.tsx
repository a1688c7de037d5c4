interface SearchFieldProps {
  readonly label: string;
  readonly words: string;
  readonly onType: (words: string) => void;
}

/** A field for search words, with its label inside. */
export const SearchField = ({ label, words, onType }: SearchFieldProps) => (
  <input
    class="grow"
    type="search"
    aria-label={label}
    placeholder={label}
    value={words}
    onInput={({ currentTarget }) => onType(currentTarget.value)}
  />
);
