import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';
import type { Entry } from './audit.tsx';
import { EntryDetail } from './entry-detail.tsx';
import { RecalledFacts } from './recalled-facts.tsx';

interface LineProps {
  readonly entry: Entry;
  readonly actions: Actions;
  /** True for readers who may see all members of an entry. */
  readonly hasDetails: boolean;
}

export const AuditLine = ({ entry, actions, hasDetails }: LineProps) => {
  const { audit: own } = useTexts();
  // Entries of facts come from the facts themselves, and have no further details.
  const hasDetail = hasDetails && entry.event_type !== 'fact_write';
  const { recall } = entry;
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
          {recall !== null && <span>{plural(own.recalledFacts, recall.facts)}</span>}
          {entry.fact_scope !== null && <span class="tag">{entry.fact_scope}</span>}
        </>
      }
      actions={
        <>
          {recall !== null && recall.fact_ids.length > 0 && (
            <Button
              text={own.recalled}
              onClick={() => actions.show(<RecalledFacts recall={recall} onClose={actions.close} />)}
            />
          )}
          {hasDetail && (
            <Button
              text={own.detail}
              onClick={() => actions.show(<EntryDetail entry={entry} onClose={actions.close} />)}
            />
          )}
        </>
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
