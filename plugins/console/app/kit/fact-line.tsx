import type { Fact } from '../../../../client/client.ts';
import { addressOf } from '../shell/address.ts';
import { fill } from '../texts/texts.ts';
import { Instant } from './instant.tsx';
import { ShownText } from './shown-text.tsx';
import { ShownValue } from './shown-value.tsx';
import { useTexts } from './use-texts.ts';

/** A fact in two lines: what it says, and below that who said it, when, and what speaks for or against it. */
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

/** Scope and confidence, and the marks that a reader must not miss. */
export const FactTags = ({ fact }: { fact: Fact }) => {
  const { fact: texts } = useTexts();
  return (
    <>
      <span class="tag">{fact.scope}</span>
      <span class="tag">{fill(texts.confidence, { share: Math.round(fact.confidence * 100) })}</span>
      {fact.contradicted && <span class="tag warn">{texts.contradicted}</span>}
      {fact.garden_id !== null && <span class="tag">{texts.inGarden}</span>}
      {fact.quarantine_status === 'quarantined' && <span class="tag bad">{texts.quarantined}</span>}
    </>
  );
};
