import { Instant } from '../../kit/instant.tsx';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Tags } from '../../kit/tags.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import { plural, type Texts } from '../../texts/texts.ts';
import type { Manifest, Unit, UnitDraft } from './units.ts';

export const ManifestView = ({ manifest }: { manifest: Manifest }) => {
  const { instructions: own } = useTexts();
  return (
    <>
      <dl class="members">
        <dt>{own.version}</dt>
        <dd>
          <ShownText text={manifest.manifest_version} /> <Instant at={manifest.last_updated_at} relative />
        </dd>
        <dt>{own.size}</dt>
        <dd>{plural(own.tokens, manifest.token_count)}</dd>
        <dt>{own.stored}</dt>
        <dd>
          <a href={addressOf('facts', { entity: manifest.fact_uri })}>
            <ShownText text={manifest.fact_uri} />
          </a>
        </dd>
      </dl>
      <RecordTable
        label={own.units}
        columns={unitColumns(own)}
        rows={manifest.entries}
        keyOf={({ name }) => name}
        empty={null}
      />
      <NumberTerms names={['tokenEstimate']} />
    </>
  );
};

/** Columns for stored and drafted units. */
export const unitColumns = (texts: Texts['instructions']): readonly Column<Unit | UnitDraft>[] => [
  {
    title: texts.unit,
    show: ({ name, description, guarantee_load: isGuaranteed, force_position: position }) => (
      <>
        <strong>
          <ShownText text={name} />
        </strong>{' '}
        {isGuaranteed && <span class="tag good">{texts.always}</span>}{' '}
        {position === 'prepend' && <span class="tag">{texts.first}</span>}
        <div class="muted">
          <ShownText text={description} />
        </div>
      </>
    ),
  },
  {
    title: texts.triggers,
    show: ({ load_triggers: triggers }) => (
      <Tags
        words={[
          ...new Set([...(triggers?.intents ?? []), ...(triggers?.keywords ?? []), ...(triggers?.task_types ?? [])]),
        ]}
      />
    ),
  },
  {
    title: texts.text,
    show: ({ fact_uri: uri }) => (
      <a href={addressOf('facts', { entity: uri })}>
        <ShownText text={uri} />
      </a>
    ),
  },
  { title: texts.estimate, isNumber: true, show: ({ token_estimate: estimate }) => estimate ?? '–' },
];
