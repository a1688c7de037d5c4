import type { Fact } from '../../../../client/client.ts';
import { addressOf } from '../shell/address.ts';
import { fill, spellShare } from '../texts/texts.ts';
import { Instant } from './instant.tsx';
import { hasExpired, isToCome } from './lifetime.ts';
import { nowMs } from './platform.ts';
import { ShownText } from './shown-text.tsx';
import { ShownValue } from './shown-value.tsx';
import { useTexts } from './use-texts.ts';

/** A fact in two lines: its value, then its source, time and marks. */
export const FactLine = ({ fact }: { fact: Fact }) => (
  <article class="fact">
    <p class="fact-says">
      <a class="fact-entity" href={addressOf('entities', { uri: fact.entity })}>
        <ShownText text={fact.entity} />
      </a>
      <a class="fact-relation" href={addressOf('facts', { id: fact.id })}>
        <ShownText text={fact.relation} />
      </a>
      <ShownValue value={fact.value} />
    </p>
    <p class="fact-about muted">
      <ShownText text={fact.source} />
      <Instant at={fact.timestamp} relative />
      <FactTags fact={fact} />
    </p>
  </article>
);

/** Scope, confidence, and the marks that a reader must notice. */
export const FactTags = ({ fact }: { fact: Fact }) => {
  const { fact: texts } = useTexts();
  const { confidence, ended, quarantine_status: quarantine } = fact;
  const sure = fill(texts.confidence, { share: spellShare(confidence) });
  return (
    <>
      <span class="tag">{fact.scope}</span>
      {confidence === 0 ? <span class="tag warn">{texts.retraction}</span> : <span class="tag">{sure}</span>}
      {fact.contradicted && <span class="tag warn">{texts.contradicted}</span>}
      {fact.differs_elsewhere && <span class="tag warn">{texts.differsElsewhere}</span>}
      {ended !== undefined && <span class="tag warn">{texts[ended]}</span>}
      {isToCome(fact, nowMs()) && <span class="tag warn">{texts.toCome}</span>}
      {hasExpired(fact, nowMs()) && <span class="tag warn">{texts.expired}</span>}
      {fact.garden_id !== null && <span class="tag">{texts.inGarden}</span>}
      {quarantine === 'pending' && <span class="tag bad">{texts.quarantined}</span>}
      {quarantine === 'rejected' && <span class="tag bad">{texts.rejected}</span>}
      {fact.value.interpret_as === 'instruction' && <span class="tag warn">{texts.instruction}</span>}
      {fact.received_from !== null && <span class="tag">{texts.received}</span>}
      {fact.attested === true && <span class="tag good">{texts.attested}</span>}
    </>
  );
};
