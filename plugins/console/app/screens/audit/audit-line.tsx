import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import type { Entry } from './audit.tsx';
import { EntryDetail } from './entry-detail.tsx';

interface LineProps {
  readonly entry: Entry;
  /** The row actions; undefined for readers who may not see the details. */
  readonly actions: Actions | undefined;
}

export const AuditLine = ({ entry, actions }: LineProps) => {
  const { audit: own } = useTexts();
  // Entries of facts come from the facts themselves, and have no further details.
  const hasDetail = actions !== undefined && entry.event_type !== 'fact_write';
  return (
    <RecordLine
      head={
        <>
          <span class="tag">{entry.event_type}</span>
          <ShownText text={entry.entity_uri || own.nobody} />
          <FactOfEntry entry={entry} />
        </>
      }
      about={
        <>
          <Instant at={entry.ts} relative />
          {entry.source !== '' && <ShownText text={entry.source} />}
          {entry.oidc_sub !== null && <ShownText text={entry.oidc_sub} />}
          {entry.attested_key_id !== null && (
            <span class="tag good">
              {own.signed} <ShownText text={entry.attested_key_description ?? entry.attested_key_id} />
            </span>
          )}
          {entry.fact_scope !== null && <span class="tag">{entry.fact_scope}</span>}
        </>
      }
      actions={
        hasDetail && (
          <button type="button" onClick={() => actions.show(<EntryDetail entry={entry} onClose={actions.close} />)}>
            {own.detail}
          </button>
        )
      }
    />
  );
};

const FactOfEntry = ({ entry }: { entry: Entry }) => {
  const { fact_id: id, fact_entity: entity, fact_relation: relation, fact_value_type: type } = entry;
  if (id === null) return null;
  return (
    <>
      <a href={addressOf('facts', { id })}>
        <ShownText text={entity ?? id} />
      </a>
      {relation !== null && (
        <span class="fact-relation">
          <ShownText text={relation} />
        </span>
      )}
      {type !== null && <ShownValue value={{ type, v: entry.fact_value_v, interpret_as: 'content' }} />}
    </>
  );
};
