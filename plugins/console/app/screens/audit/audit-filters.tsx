import { useId, useState } from 'preact/hooks';
import { instantOf } from '../../kit/moment-field.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { EVENT_TYPES } from './event-types.ts';

export const FILTERS = [
  'event_type',
  'entity_uri',
  'source',
  'fact_id',
  'oidc_sub',
  'attested',
  'since',
  'until',
] as const;
export type FilterName = (typeof FILTERS)[number];

const isMoment = (name: FilterName): boolean => name === 'since' || name === 'until';

/** Adds one filter with its value. */
export const AuditFilters = ({ onAdd }: { onAdd: (name: FilterName, value: string) => void }) => {
  const texts = useTexts();
  const { audit: own, filters } = texts;
  const [name, setName] = useState<FilterName>('event_type');
  const [value, setValue] = useState('');
  const add = (event: Event): void => {
    event.preventDefault();
    const given = isMoment(name) ? instantOf(value) : value.trim();
    if (!given) return;
    onAdd(name, given);
    setValue('');
  };
  return (
    <form class="filters bar" onSubmit={add}>
      <select
        aria-label={filters.by}
        value={name}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value as FilterName);
          setValue('');
        }}
      >
        {FILTERS.map((each) => (
          <option key={each} value={each}>
            {own.filters[each]}
          </option>
        ))}
      </select>
      <ValueControl name={name} value={value} onChange={setValue} />
      <button type="submit">{filters.add}</button>
    </form>
  );
};

interface ControlProps {
  readonly name: FilterName;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ValueControl = ({ name, value, onChange }: ControlProps) => {
  const texts = useTexts();
  const list = useId();
  const label = texts.filters.value;
  if (name === 'attested') {
    return (
      <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="" />
        <option value="true">{texts.yes}</option>
        <option value="false">{texts.no}</option>
      </select>
    );
  }
  return (
    <>
      <input
        aria-label={label}
        type={isMoment(name) ? ('datetime-local' as 'text') : 'text'}
        list={name === 'event_type' ? list : undefined}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id={list}>
        {EVENT_TYPES.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
};
