import type { Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { FactTags } from '../../kit/fact-line.tsx';
import { groupBy } from '../../kit/group-by.ts';
import { Instant } from '../../kit/instant.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Empty, Loading } from '../../kit/state.tsx';
import type { Paged } from '../../kit/use-paged.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';

/** The maximum number of facts shown per relation; the list of facts has the others. */
const SHOWN_FACTS = 20;

interface EntityFactsProps {
  readonly uri: string;
  readonly facts: Paged<Fact>;
  readonly isPast: boolean;
}

/** The facts of an entity, grouped by relation. */
export const EntityFacts = ({ uri, facts, isPast }: EntityFactsProps) => {
  const { texts: all, setup } = useSession();
  const texts = all.entity;
  const { items, error, isLoading, hasMore, readMore, reload } = facts;
  // The card is shown above, so it is left out of the facts that it summarises.
  const said = items.filter(({ relation }) => relation !== `${setup.service}:memory:card`);
  const groups = [...groupBy(said, ({ relation }) => relation)].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <section>
      <ScreenHead level={2} title={texts.facts}>
        <a href={addressOf('facts', { entity: uri })}>{texts.allFacts}</a>
      </ScreenHead>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {groups.map(([relation, group]) => (
        <Relation key={relation} uri={uri} relation={relation} facts={group} />
      ))}
      {isLoading && <Loading />}
      {!isLoading && error === undefined && said.length === 0 && (
        <Empty title={isPast ? texts.nothingThen : texts.nothing}>
          {isPast ? texts.nothingThenHint : texts.nothingHint}
        </Empty>
      )}
      {hasMore && !isLoading && <Button text={texts.more} onClick={readMore} />}
    </section>
  );
};

interface RelationProps {
  readonly uri: string;
  readonly relation: string;
  readonly facts: readonly Fact[];
}

const Relation = ({ uri, relation, facts }: RelationProps) => {
  const { entity: texts } = useSession().texts;
  return (
    <details class="relation" open>
      <summary>
        <ShownText text={relation} />
        {facts.length > 1 && <span class="muted"> {plural(texts.inRelation, facts.length)}</span>}
      </summary>
      <ul>
        {facts.slice(0, SHOWN_FACTS).map((fact) => (
          <li key={fact.id}>
            <ValueLine fact={fact} />
          </li>
        ))}
      </ul>
      {facts.length > SHOWN_FACTS && (
        <a href={addressOf('facts', { entity: uri, relation })}>{plural(texts.inRelation, facts.length)}</a>
      )}
    </details>
  );
};

/** The value of a fact, without the entity and the relation shown above it. */
const ValueLine = ({ fact }: { fact: Fact }) => {
  const { fact: texts } = useSession().texts;
  return (
    <>
      <p class="fact-says">
        <ShownValue value={fact.value} />
      </p>
      <p class="fact-about muted">
        <ShownText text={fact.source} />
        <Instant at={fact.timestamp} relative />
        <FactTags fact={fact} />
        <a href={addressOf('facts', { id: fact.id })}>{texts.see}</a>
      </p>
    </>
  );
};
