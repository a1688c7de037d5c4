import type { Fact } from '../../../../../client/client.ts';
import { Field } from '../../kit/field.tsx';
import { MomentField } from '../../kit/moment-field.tsx';
import { useGardens } from '../../kit/use-gardens.ts';
import { useSession } from '../../session/session.ts';

const LEAST_CONFIDENCE = 0.01;

interface Triple {
  readonly entity: string;
  readonly relation: string;
}

/** The members of a fact, except its triple and value. */
export interface AboutFact {
  readonly source: string;
  readonly scope: Fact['scope'];
  /** The garden of the fact; empty for none. */
  readonly garden: string;
  readonly confidence: string;
  /** The local time at which the fact begins; empty for now. */
  readonly validFrom: string;
  /** The local time at which the fact ends; empty for none. */
  readonly validUntil: string;
}

export const TripleFields = ({ triple, onChange }: { triple: Triple; onChange: (triple: Triple) => void }) => {
  const { fact: texts, assert } = useSession().texts;
  return (
    <div class="columns">
      <Field label={texts.entity} hint={assert.entityHint}>
        {(ids) => (
          <input
            {...ids}
            required
            dir="auto"
            value={triple.entity}
            onInput={({ currentTarget }) => onChange({ ...triple, entity: currentTarget.value })}
          />
        )}
      </Field>
      <Field label={texts.relation} hint={assert.relationHint}>
        {(ids) => (
          <input
            {...ids}
            required
            value={triple.relation}
            onInput={({ currentTarget }) => onChange({ ...triple, relation: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
};

export const AboutFields = ({ about, onChange }: { about: AboutFact; onChange: (about: AboutFact) => void }) => {
  const { texts } = useSession();
  return (
    <>
      <SourceField source={about.source} onChange={(source) => onChange({ ...about, source })} />
      <PlaceFields about={about} onChange={onChange} />
      <div class="columns">
        <Field label={texts.fact.sureness} hint={texts.assert.confidenceHint}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              required
              min={LEAST_CONFIDENCE}
              max={1}
              step={0.01}
              value={about.confidence}
              onInput={({ currentTarget }) => onChange({ ...about, confidence: currentTarget.value })}
            />
          )}
        </Field>
        <MomentField
          label={texts.fact.validFrom}
          hint={texts.assert.validFromHint}
          value={about.validFrom}
          onChange={(validFrom) => onChange({ ...about, validFrom })}
        />
        <MomentField
          label={texts.fact.validUntil}
          hint={texts.assert.validUntilHint}
          value={about.validUntil}
          onChange={(validUntil) => onChange({ ...about, validUntil })}
        />
      </div>
    </>
  );
};

export const SourceField = ({ source, onChange }: { source: string; onChange: (source: string) => void }) => (
  <Field label={useSession().texts.fact.source}>
    {(ids) => (
      <input
        {...ids}
        required
        dir="auto"
        value={source}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Field>
);

/** A garden has one scope, so only gardens of the chosen scope are offered. */
const PlaceFields = ({ about, onChange }: { about: AboutFact; onChange: (about: AboutFact) => void }) => {
  const { texts, reader } = useSession();
  const gardens = useGardens().filter(({ scope }) => scope === about.scope);
  return (
    <div class="columns">
      <Field label={texts.fact.scope}>
        {(ids) => (
          <select
            {...ids}
            value={about.scope}
            onChange={({ currentTarget }) =>
              onChange({ ...about, scope: currentTarget.value as Fact['scope'], garden: '' })
            }
          >
            {reader.allowed_scopes.map((scope) => (
              <option key={scope} value={scope}>
                {scope}
              </option>
            ))}
          </select>
        )}
      </Field>
      {gardens.length > 0 && (
        <Field label={texts.fact.garden}>
          {(ids) => (
            <select
              {...ids}
              value={about.garden}
              onChange={({ currentTarget }) => onChange({ ...about, garden: currentTarget.value })}
            >
              <option value="">{texts.none}</option>
              {gardens.map(({ garden_id: uri, name }) => (
                <option key={uri} value={uri}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  );
};
