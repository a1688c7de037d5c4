import { Field } from './field.tsx';

interface MomentFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** As the control has it: local time without a zone; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A moment in the zone of the reader. */
export const MomentField = ({ label, hint, value, onChange }: MomentFieldProps) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <input
        {...ids}
        type="datetime-local"
        step={1}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Field>
);

/** The instant that a control of local time names. Undefined where it names none. */
export const instantOf = (local: string): string | undefined => {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
};
