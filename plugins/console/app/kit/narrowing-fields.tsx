import { useLayoutEffect, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import type { Query } from '../shell/address.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { instantOf, localOf, MomentField } from './moment-field.tsx';
import { isList, NARROWING, namesOf } from './narrowing.ts';

interface NarrowingProps {
  readonly value: Query;
  readonly onChange: (change: Query) => void;
}

/** Fields for times and lists of names, folded on a phone, with a button that empties them. */
export const NarrowingFields = ({ value, onChange }: NarrowingProps) => {
  const { narrowing: texts, filters } = useSession().texts;
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  const isNarrow = NARROWING.some((name) => value[name]);
  return (
    <details class="narrowing" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {texts.title}
        {isNarrow && <span class="tag">{texts.holds}</span>}
      </summary>
      <div class="settings-fields">
        {NARROWING.map((name) =>
          isList(name) ? (
            <NamesField
              key={name}
              label={texts[name]}
              value={value[name] ?? ''}
              onChange={(names) => onChange({ [name]: names })}
            />
          ) : (
            <MomentField
              key={name}
              label={filters[name]}
              value={localOf(value[name] ?? '')}
              onChange={(local) => onChange({ [name]: instantOf(local) ?? '' })}
            />
          ),
        )}
      </div>
      <p class="bar">
        <Button
          text={texts.reset}
          disabled={!isNarrow}
          onClick={() => onChange(Object.fromEntries(NARROWING.map((name) => [name, ''])))}
        />
        <span class="hint">{texts.hint}</span>
      </p>
    </details>
  );
};

interface NamesProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (names: string) => void;
}

/** Names, one in each line. They are taken when the reader leaves the field. */
const NamesField = ({ label, value, onChange }: NamesProps) => {
  const [typed, type] = useState(value);
  useLayoutEffect(() => type(value), [value]);
  return (
    <Field label={label}>
      {(ids) => (
        <textarea
          {...ids}
          rows={1}
          dir="auto"
          value={typed}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onChange={({ currentTarget }) => onChange(namesOf(currentTarget.value).join('\n'))}
        />
      )}
    </Field>
  );
};
