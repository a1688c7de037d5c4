import { Field } from '../../kit/field.tsx';
import { instantOf, localOf, MomentField } from '../../kit/moment-field.tsx';
import { NarrowingFields } from '../../kit/narrowing-fields.tsx';
import { hasRoute, useSession } from '../../session/session.ts';
import type { Settings } from './recall-settings.ts';
import { ScopeField } from './scope-field.tsx';
import { WeightSliders } from './weight-sliders.tsx';

interface SettingFieldsProps {
  readonly title: string;
  readonly value: Settings;
  readonly onChange: (value: Settings) => void;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly step: number | 'any';
}

const NUMBERS: readonly [name: 'budget' | 'limit' | 'depth' | 'min' | 'lambda', bounds: Bounds][] = [
  ['budget', { min: 1, max: 200_000, step: 1 }],
  ['limit', { min: 1, max: 500, step: 1 }],
  ['depth', { min: 0, max: 2, step: 1 }],
  ['min', { min: 0, max: 1, step: 'any' }],
  ['lambda', { min: 0, max: 1, step: 'any' }],
];

/** A control for each setting of a recall. */
export const SettingFields = ({ title, value, onChange }: SettingFieldsProps) => {
  const { setup, own } = useSession('recall');
  const set = (change: Partial<Settings>): void => onChange({ ...value, ...change });
  const hasPast = hasRoute(setup, 'GET /v1/facts/{id}/history');
  return (
    <fieldset class="recall-settings">
      <legend>{title}</legend>
      <WeightSliders weights={value.weights} onChange={(weights) => set({ weights })} />
      <div class="settings-fields">
        {NUMBERS.map(([name, bounds]) => (
          <Field
            key={name}
            label={own.names[name]}
            means={name === 'lambda' ? { name, text: own.lambdaMeans } : undefined}
          >
            {(ids) => (
              <input
                {...ids}
                {...bounds}
                type="number"
                required
                value={value[name]}
                onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <ScopeField scope={value.scope} onChange={(scope) => set({ scope })} />
        <Field label={own.names.relation}>
          {(ids) => (
            <input
              {...ids}
              dir="auto"
              value={value.relation}
              onInput={({ currentTarget }) => set({ relation: currentTarget.value.trim() })}
            />
          )}
        </Field>
        {hasPast && (
          <MomentField
            label={own.names.asOf}
            value={localOf(value.as_of)}
            onChange={(local) => set({ as_of: instantOf(local) ?? '' })}
          />
        )}
      </div>
      <NarrowingFields value={{ ...value, weights: undefined }} onChange={set} />
      <label class="check">
        <input
          type="checkbox"
          checked={value.contradicted !== ''}
          onChange={({ currentTarget }) => set({ contradicted: currentTarget.checked ? '1' : '' })}
        />
        {own.names.contradicted}
      </label>
    </fieldset>
  );
};
