import { Field } from './field.tsx';

interface Named {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface TextFieldProps extends Named {
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
  readonly type?: 'text' | 'url' | 'number' | 'datetime-local';
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export const TextField = ({ label, hint, value, isRequired = false, type = 'text', ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      // The element types accept only one kind of input at a time.
      <input {...ids} {...rest} type={type as 'text'} defaultValue={value ?? ''} required={isRequired} />
    )}
  </Field>
);

interface AreaFieldProps extends Named {
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
  readonly rows?: number;
}

export const AreaField = ({ label, hint, value, isRequired = false, rows = 3, name }: AreaFieldProps) => (
  <Field label={label} hint={hint}>
    {(ids) => <textarea {...ids} name={name} rows={rows} defaultValue={value ?? ''} required={isRequired} />}
  </Field>
);

/** A value with its label. A plain string is its own label. */
export type Option = string | { readonly value: string; readonly label: string };

const read = (option: Option) => (typeof option === 'string' ? { value: option, label: option } : option);

interface ChoiceFieldProps extends Named {
  readonly options: readonly Option[];
  readonly value?: string | undefined;
}

export const ChoiceField = ({ name, label, hint, options, value }: ChoiceFieldProps) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <select {...ids} name={name}>
        {options.map(read).map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const CheckField = ({ name, label, isChecked = false }: Named & { readonly isChecked?: boolean }) => (
  <label class="check">
    <input type="checkbox" name={name} defaultChecked={isChecked} />
    {label}
  </label>
);

interface ChecksFieldProps extends Named {
  readonly options: readonly Option[];
  readonly checked?: readonly string[];
}

/** A field that offers several options, of which the reader may choose any number. */
export const ChecksField = ({ name, label, hint, options, checked = [] }: ChecksFieldProps) => (
  <fieldset class="checks">
    <legend>{label}</legend>
    <div class="checks-all">
      {options.map(read).map((option) => (
        <label key={option.value} class="check">
          <input type="checkbox" name={name} value={option.value} defaultChecked={checked.includes(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
    {hint !== undefined && <p class="hint">{hint}</p>}
  </fieldset>
);
