import { Field } from './field.tsx';

interface MomentFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The local time without a zone, as in the control; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for a moment in the reader's zone. */
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

/** Converts an instant to the local time of a control; empty for any other text. */
export const localOf = (instant: string): string => {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

/** Returns the instant of a local time; undefined for any other text. */
export const instantOf = (local: string): string | undefined => {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
};
