import { useState } from 'preact/hooks';
import { NARROWING } from '../../kit/narrowing.ts';
import { useGardens } from '../../kit/use-gardens.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { FILTERS, type FilterName } from './filter-names.ts';

/** Adds one filter with its value. */
export const FactFilters = ({ onAdd }: { onAdd: (name: FilterName, value: string) => void }) => {
  const { setup, texts: all } = useSession();
  const texts = all.filters;
  // Times and lists have fields of their own.
  const offered = FILTERS.filter(
    (each) => !NARROWING.some((name) => name === each) && (each !== 'garden_id' || hasRoute(setup, 'GET /v1/gardens')),
  );
  const [name, setName] = useState<FilterName>('entity');
  const [value, setValue] = useState('');
  const add = (event: Event): void => {
    event.preventDefault();
    const given = value.trim();
    if (!given) return;
    onAdd(name, given);
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
        {offered.map((each) => (
          <option key={each} value={each}>
            {texts[each]}
          </option>
        ))}
      </select>
      <FilterValue name={name} value={value} onChange={setValue} />
      <button type="submit">{texts.add}</button>
    </form>
  );
};

interface FilterValueProps {
  readonly name: FilterName;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The control for a filter: a choice if the values are known. */
const FilterValue = ({ name, value, onChange }: FilterValueProps) => {
  const { texts, reader } = useSession();
  const gardens = useGardens();
  const choices = choicesOf(name, {
    scopes: reader.allowed_scopes,
    gardens: gardens.map(({ garden_id: uri, name: title }) => [uri, title]),
    marks: [
      ['true', texts.yes],
      ['false', texts.no],
    ],
  });
  const take = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    onChange(currentTarget.value);
  if (choices !== undefined) {
    return (
      <select aria-label={texts.filters.value} value={value} onChange={take}>
        <option value="" />
        {choices.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  const plain = { 'aria-label': texts.filters.value, value, onInput: take };
  if (name === 'min_confidence') return <input {...plain} type="number" min={0} max={1} step="any" />;
  const example = EXAMPLES[name];
  return <input {...plain} placeholder={example && fill(texts.filters.example, { value: example })} />;
};

/** Example values for filters whose form a reader could not guess. */
const EXAMPLES: Partial<Readonly<Record<FilterName, string>>> = {
  entity: 'user:alice',
  relation: 'memory:role',
  source: 'agent:scribe',
};

type Choice = readonly [value: string, title: string];

interface Known {
  readonly scopes: readonly string[];
  readonly gardens: readonly Choice[];
  readonly marks: readonly Choice[];
}

/** Returns the possible values of a filter; undefined if any text may be a value. */
const choicesOf = (name: FilterName, { scopes, gardens, marks }: Known): readonly Choice[] | undefined => {
  if (name === 'scope') return scopes.map((scope) => [scope, scope]);
  if (name === 'attested') return marks;
  return name === 'garden_id' && gardens.length > 0 ? gardens : undefined;
};
