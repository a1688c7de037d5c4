import { useId, useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { nowMs } from '../../kit/platform.ts';
import { Problem } from '../../kit/problem.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty, Loading } from '../../kit/state.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf, type Query } from '../../shell/address.ts';
import { fill, plural, spellNumber, type Texts } from '../../texts/texts.ts';
import { type Day, type Tallies, useTallies } from './use-tallies.ts';

/** The number of sources that a row names; the others are in the choice. */
const SOURCES = 6;
/** The number of characters of a name in the choice, which is as wide as its longest name. */
const MOST_CHARACTERS = 60;

/** How many facts came on each day, in all and of each agent. */
export const DayTallies = ({ round }: { round: number }) => {
  const { client, texts, own } = useSession('timeline');
  const [source, choose] = useState('');
  const tallies = useTallies(client, round);
  const { days, counted, isReading, hasMore, error, readMore } = tallies;
  const shown = source === '' ? days : days.flatMap((day) => onlyOf(day, source));
  return (
    <section aria-labelledby="days" aria-busy={isReading}>
      <div class="bar">
        <h2 id="days" class="grow">
          {own.days}
        </h2>
        <SourceChoice tallies={tallies} source={source} onChoose={choose} />
      </div>
      {error !== undefined && <Problem error={error} retry={readMore} />}
      {isReading && days.length === 0 ? (
        <Loading />
      ) : (
        <RecordTable
          label={own.days}
          columns={columnsOf(own, Math.max(...shown.map(({ facts }) => facts)))}
          rows={shown}
          keyOf={({ day }) => day}
          empty={error === undefined && <Empty title={texts.facts.nothing} />}
        />
      )}
      <p class="after-table muted" role="status">
        {plural(own.counted, counted)}{' '}
        {hasMore && !isReading && error === undefined && (
          <Button text={own.countMore} class="link" onClick={readMore} />
        )}
      </p>
    </section>
  );
};

const onlyOf = (day: Day, source: string): readonly Day[] => {
  const facts = day.sources.get(source);
  return facts === undefined ? [] : [{ day: day.day, facts, sources: new Map([[source, facts]]) }];
};

interface ChoiceProps {
  readonly tallies: Tallies;
  readonly source: string;
  readonly onChoose: (source: string) => void;
}

const SourceChoice = ({ tallies, source, onChoose }: ChoiceProps) => {
  const { own } = useSession('timeline');
  const id = useId();
  const sums = new Map<string, number>();
  for (const { sources } of tallies.days) {
    for (const [name, facts] of sources) sums.set(name, (sums.get(name) ?? 0) + facts);
  }
  const names = [...sums].toSorted(([, a], [, b]) => b - a);
  return (
    <span class="inline-field">
      <label for={id}>{own.agent}</label>
      <select id={id} value={source} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{own.allAgents}</option>
        {names.map(([name, facts]) => (
          <option key={name} value={name}>
            {fill(own.agentFacts, { name: name.slice(0, MOST_CHARACTERS), facts })}
          </option>
        ))}
      </select>
    </span>
  );
};

const columnsOf = (own: Texts['timeline'], most: number): readonly Column<Day>[] => [
  {
    title: own.day,
    show: ({ day }) => (
      <a href={addressOf('timeline', dayMoments(day))}>
        <Instant at={day} />
      </a>
    ),
  },
  {
    title: own.facts,
    show: ({ facts }) => (
      <span class="tally">
        <span class="tally-bar" aria-hidden="true">
          <span style={{ width: `${(facts / most) * 100}%` }} />
        </span>
        {spellNumber(facts)}
      </span>
    ),
  },
  { title: own.agents, show: ({ sources }) => <Sources sources={sources} /> },
];

/** The first and the last moment of a day, by which its changes are compared. A day that goes on ends now. */
const dayMoments = (day: string): Query => {
  const until = `${day}T23:59:59.999Z`;
  return { since: `${day}T00:00:00.000Z`, until: Date.parse(until) < nowMs() ? until : undefined };
};

const Sources = ({ sources }: { sources: ReadonlyMap<string, number> }) => {
  const { own } = useSession('timeline');
  const ranked = [...sources].toSorted(([, a], [, b]) => b - a);
  const rest = ranked.length - SOURCES;
  return (
    <ul class="tally-sources">
      {ranked.slice(0, SOURCES).map(([source, facts]) => (
        <li key={source}>
          <a href={addressOf('facts', { source })}>
            <ShownText text={source} />
          </a>{' '}
          <span class="muted">{spellNumber(facts)}</span>
        </li>
      ))}
      {rest > 0 && <li class="muted">{plural(own.moreAgents, rest)}</li>}
    </ul>
  );
};
