import type { ComponentChildren } from 'preact';
import type { Fact } from '../../../../../client/client.ts';
import { FactTerm } from '../../kit/fact-term.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import { fill, plural, spellShare } from '../../texts/texts.ts';

interface RivalProps {
  readonly fact: Fact;
  /** The position of the rival, 1 for the first. */
  readonly place: number;
  /** The keyboard shortcut that chooses the rival; undefined without one. */
  readonly shortcut: number | undefined;
  /** True if this fact wins while the contradiction is open. */
  readonly answers: boolean;
  /** True if the contradiction is open. Then a rival without the contradicted mark has ended. */
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** One of the contradicting facts. */
export const Rival = ({ fact, place, shortcut, answers, isOpen, children }: RivalProps) => {
  const { contradictions: texts } = useTexts();
  return (
    <li class="rival">
      {isOpen && (
        <div class="rival-tags">
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
          {answers && <span class="tag good">{texts.answers}</span>}
          {!fact.contradicted && <span class="tag">{texts.ended}</span>}
        </div>
      )}
      <ScrollBox label={fill(texts.rivalValue, { place })} class="rival-value">
        <ShownValue value={fact.value} short={false} />
      </ScrollBox>
      <RivalMembers fact={fact} />
      <div class="bar rival-actions">
        {children}
        <a href={addressOf('facts', { id: fact.id })}>{texts.look}</a>
      </div>
    </li>
  );
};

const RivalMembers = ({ fact }: { fact: Fact }) => {
  const { contradictions: texts } = useTexts();
  const { source_trust: trust, effective_confidence: effective } = fact;
  return (
    <dl class="members">
      <dt>{texts.source}</dt>
      <dd>
        <ShownText text={fact.source} />
      </dd>
      <dt>{texts.said}</dt>
      <dd>
        <Instant at={fact.timestamp} /> (<Instant at={fact.timestamp} relative />)
      </dd>
      <dt>
        <FactTerm name="sureness">{texts.confidence}</FactTerm>
      </dt>
      <dd>
        <span class="meter">
          <meter min={0} max={1} value={fact.confidence} aria-hidden="true" />
          {spellShare(fact.confidence)}
        </span>
        {effective !== null && effective !== fact.confidence && (
          <span class="muted"> {fill(texts.effective, { share: spellShare(effective) })}</span>
        )}
      </dd>
      {trust !== null && (
        <>
          <dt>
            <FactTerm name="trust">{texts.trust}</FactTerm>
          </dt>
          <dd>{spellShare(trust)}</dd>
        </>
      )}
      {fact.valid_from !== undefined && (
        <>
          <dt>{texts.validFrom}</dt>
          <dd>
            <Instant at={fact.valid_from} />
          </dd>
        </>
      )}
      {fact.valid_until !== null && (
        <>
          <dt>{texts.validUntil}</dt>
          <dd>
            <Instant at={fact.valid_until} />
          </dd>
        </>
      )}
      {fact.received_from !== null && (
        <>
          <dt>{texts.from}</dt>
          <dd>
            <ShownText text={fact.received_from} />
          </dd>
        </>
      )}
      <dt>{texts.provenance}</dt>
      <dd>
        {fact.derived_from.length === 0 ? (
          <span class="muted">{texts.saidDirectly}</span>
        ) : (
          <a href={addressOf('facts', { id: fact.id })}>{plural(texts.derived, fact.derived_from.length)}</a>
        )}
      </dd>
    </dl>
  );
};
