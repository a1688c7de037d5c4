import { Field } from '../../kit/field.tsx';
import { useGardens } from '../../kit/use-gardens.ts';
import { useSession } from '../../session/session.ts';

interface ScopeFieldProps {
  readonly scope: string;
  readonly onChange: (scope: string) => void;
}

/** The place of a recall: everywhere, a scope, or a garden. */
export const ScopeField = ({ scope, onChange }: ScopeFieldProps) => {
  const { reader, own } = useSession('recall');
  const gardens = useGardens().map(({ slug, name }) => ({ value: `garden:${slug}`, name }));
  const known = ['global', ...reader.allowed_scopes, ...gardens.map(({ value }) => value)];
  return (
    <Field label={own.names.scope}>
      {(ids) => (
        <select {...ids} value={scope} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="global">{own.everywhere}</option>
          {reader.allowed_scopes.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
          {gardens.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          {!known.includes(scope) && <option value={scope}>{scope}</option>}
        </select>
      )}
    </Field>
  );
};
