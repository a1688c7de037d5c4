import { useState } from 'preact/hooks';
import { useTexts } from '../../kit/use-texts.ts';

const NAMES = ['entity', 'relation', 'source', 'scope', 'garden_id', 'session', 'min_confidence'] as const;
type FilterName = (typeof NAMES)[number];
const SCOPES = ['local', 'team', 'company', 'public'] as const;

/** A filter and its value, added one at a time. */
export const FactFilters = ({ onAdd }: { onAdd: (name: FilterName, value: string) => void }) => {
  const { filters: texts } = useTexts();
  const [name, setName] = useState<FilterName>('entity');
  const [value, setValue] = useState('');
  const add = (event: Event): void => {
    event.preventDefault();
    if (value.trim() === '') return;
    onAdd(name, value.trim());
    setValue('');
  };
  return (
    <form class="filters" onSubmit={add}>
      <select
        aria-label={texts.by}
        value={name}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value as FilterName);
          setValue('');
        }}
      >
        {NAMES.map((each) => (
          <option key={each} value={each}>
            {texts[each]}
          </option>
        ))}
      </select>
      {name === 'scope' ? (
        <select aria-label={texts.value} value={value} onChange={({ currentTarget }) => setValue(currentTarget.value)}>
          <option value="" />
          {SCOPES.map((scope) => (
            <option key={scope}>{scope}</option>
          ))}
        </select>
      ) : (
        <input
          aria-label={texts.value}
          inputMode={name === 'min_confidence' ? 'decimal' : 'text'}
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
        />
      )}
      <button type="submit">{texts.add}</button>
    </form>
  );
};
