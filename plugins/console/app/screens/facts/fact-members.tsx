import type { ComponentChildren } from 'preact';
import type { Fact } from '../../../../../client/client.ts';
import { CopyButton } from '../../kit/copy-button.tsx';
import { FactTags } from '../../kit/fact-line.tsx';
import { FactTerm, type FactTermName } from '../../kit/fact-term.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { gardenName, useGardens } from '../../kit/use-gardens.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { spellShare } from '../../texts/texts.ts';
import type { Ended } from './use-triple-history.ts';

/** The non-empty members of a fact. */
export const FactMembers = ({ fact, ended }: { fact: Fact; ended: Ended | null }) => {
  const { fact: texts, value, history, never } = useSession().texts;
  const gardens = useGardens();
  return (
    <dl class="members">
      <Member label={value.type}>{value.types[fact.value.type]}</Member>
      <Member label={texts.marks}>
        <span class="tags">
          <FactTags fact={fact} />
        </span>
      </Member>
      <Member label={texts.ended}>
        {ended && (
          <>
            <span class="tag warn">{history.endedBy[ended.by]}</span> <Instant at={ended.at} />
          </>
        )}
      </Member>
      <Member label={texts.source}>
        <a href={addressOf('facts', { source: fact.source })}>
          <ShownText text={fact.source} />
        </a>
      </Member>
      <Member label={texts.trust} term="trust">
        {share(fact.source_trust)}
      </Member>
      <Member label={texts.sureness} term="sureness">
        {share(fact.confidence)}
      </Member>
      <Member label={texts.effective} term="effective">
        {share(fact.effective_confidence)}
      </Member>
      <Member label={texts.garden}>
        {fact.garden_id && (
          <a href={addressOf('facts', { garden_id: fact.garden_id })} title={fact.garden_id}>
            <ShownText text={gardenName(gardens, fact.garden_id)} />
          </a>
        )}
      </Member>
      <Member label={texts.quarantineGarden}>
        {fact.quarantine_garden_id && <ShownText text={gardenName(gardens, fact.quarantine_garden_id)} />}
      </Member>
      <Member label={texts.timestamp}>
        <Instant at={fact.timestamp} />
      </Member>
      <Member label={texts.validFrom}>{fact.valid_from && <Instant at={fact.valid_from} />}</Member>
      <Member label={texts.validUntil}>{fact.valid_until === null ? never : <Instant at={fact.valid_until} />}</Member>
      <Member label={texts.attestedBy}>{fact.attested_key_id && <ShownText text={fact.attested_key_id} />}</Member>
      <Member label={texts.origin}>{fact.origin_node_id && <ShownText text={fact.origin_node_id} />}</Member>
      <Member label={texts.receivedFrom}>{fact.received_from && <ShownText text={fact.received_from} />}</Member>
      <Member label={texts.warnings}>
        {fact.warnings.length > 0 && <ShownText text={fact.warnings.join('; ')} short={false} />}
      </Member>
      <Copied label={texts.id} text={fact.id} />
      <Copied label={texts.cid} term="cid" text={fact.cid} />
      <Copied label={texts.stamp} term="stamp" text={fact.hlc} />
    </dl>
  );
};

const share = (part: number | null): string | undefined => (part === null ? undefined : spellShare(part));

interface LabelProps {
  readonly label: string;
  /** The name of the label as a term of art. */
  readonly term?: FactTermName;
}

const Member = ({ label, term, children }: LabelProps & { children: ComponentChildren }) =>
  children === undefined || children === null || children === false ? null : (
    <>
      <dt>{term === undefined ? label : <FactTerm name={term}>{label}</FactTerm>}</dt>
      <dd>{children}</dd>
    </>
  );

const Copied = ({ text, ...label }: LabelProps & { text: string | null }) =>
  text === null ? null : (
    <Member {...label}>
      <span class="copied">
        <code class="shown">{text}</code>
        <CopyButton text={text} />
      </span>
    </Member>
  );
