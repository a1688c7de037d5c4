import { Field } from './field.tsx';
import { useTexts } from './use-texts.ts';
import { VALUE_TYPES, type ValueDraft, type ValueType } from './value-draft.ts';

interface ValueFieldProps {
  readonly draft: ValueDraft;
  readonly onChange: (draft: ValueDraft) => void;
}

/** A value and its type, with a control for each. */
export const ValueField = ({ draft, onChange }: ValueFieldProps) => {
  const { value: texts } = useTexts();
  const { type } = draft;
  const setText = (text: string): void => onChange({ type, text });
  return (
    <>
      <Field label={texts.type}>
        {(ids) => (
          <select
            {...ids}
            value={type}
            onChange={({ currentTarget }) => onChange({ ...draft, type: currentTarget.value as ValueType })}
          >
            {VALUE_TYPES.map((each) => (
              <option key={each} value={each}>
                {texts.types[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {type !== 'null' && (
        <Field label={texts.value} hint={type === 'datetime' ? texts.datetimeHint : undefined}>
          {(ids) => <Control ids={ids} draft={draft} onText={setText} />}
        </Field>
      )}
    </>
  );
};

interface ControlProps {
  readonly ids: { readonly id: string; readonly 'aria-describedby'?: string };
  readonly draft: ValueDraft;
  readonly onText: (text: string) => void;
}

const Control = ({ ids, draft: { type, text }, onText }: ControlProps) => {
  const texts = useTexts();
  if (type === 'boolean') {
    // A draft of another type is not a valid choice, so the control shows the value that would be stored.
    return (
      <select {...ids} value={String(text === 'true')} onChange={({ currentTarget }) => onText(currentTarget.value)}>
        <option value="false">{texts.no}</option>
        <option value="true">{texts.yes}</option>
      </select>
    );
  }
  // A control of one line would drop the line breaks of a string.
  if (type === 'text' || (type === 'string' && text.includes('\n'))) {
    return <textarea {...ids} rows={6} value={text} onInput={({ currentTarget }) => onText(currentTarget.value)} />;
  }
  const set = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => onText(currentTarget.value);
  if (type === 'number') return <input {...ids} type="number" step="any" required value={text} onInput={set} />;
  return <input {...ids} dir="auto" required={type !== 'string'} value={text} onInput={set} />;
};
