import { useLayoutEffect, useState } from 'preact/hooks';
import { type FactTermName, placeOfFactTerm } from '../../kit/fact-term.tsx';
import { matchesWords } from '../../kit/matches-words.ts';
import { placeOfNumber } from '../../kit/number-terms.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, useSession } from '../../session/session.ts';

interface Term {
  /** The end of the address that leads to the term. */
  readonly id: string;
  readonly title: string;
  readonly means: string;
}

/** The numbers of the console and its words, each with its meaning: those of a fact and a recall, and the glossary. */
export const Terms = () => {
  const { texts, setup } = useSession();
  const { terms: own, screens, fact, recall } = texts;
  const [words, search] = useState('');
  // The glossary is loaded only here, so that other screens do not wait for it.
  const glossary = useRequest(async () => (await import('./glossary.ts')).ownGlossary(), []);
  useLayoutEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), [glossary.data]);
  const ofFact = Object.entries(fact.means).map(([name, means]) => ({
    id: placeOfFactTerm(name),
    title: fact[name as FactTermName],
    means,
  }));
  const ofNumbers = Object.entries(own.numbers).map(([name, number]) => ({ id: placeOfNumber(name), ...number }));
  const ofRecall: readonly Term[] = [
    ...Object.entries(recall.partMeans).map(([id, means]) => ({
      id,
      title: recall.parts[id as keyof typeof recall.parts],
      means,
    })),
    { id: 'together', title: recall.together, means: recall.togetherMeans },
    { id: 'lambda', title: recall.names.lambda, means: recall.lambdaMeans },
  ];
  return (
    <>
      <h1>{screens.terms}</h1>
      <p class="lead">{own.lead}</p>
      <div class="bar">
        <SearchField label={own.search} words={words} onType={search} />
      </div>
      <TermList title={own.ofFact} terms={ofFact} words={words} page={own.factPage} />
      {hasRoute(setup, 'POST /v1/recall') && (
        <TermList title={own.ofRecall} terms={ofRecall} words={words} page={own.page} />
      )}
      <TermList title={own.ofNumbers} terms={ofNumbers} words={words} page={own.numbersPage} />
      <Answer asked={glossary}>
        {(known) => {
          const terms = known.map(({ word, means }) => ({
            id: `word-${word.replaceAll(' ', '-')}`,
            title: word,
            means,
          }));
          return <TermList title={own.glossary} terms={terms} words={words} page={own.glossaryPage} />;
        }}
      </Answer>
    </>
  );
};

interface ListProps {
  readonly title: string;
  readonly terms: readonly Term[];
  readonly words: string;
  /** A sentence that names the page of the documentation. */
  readonly page: string;
}

const TermList = ({ title, terms, words, page }: ListProps) => {
  const { own } = useSession('terms');
  const found = terms.filter(({ title: name, means }) => matchesWords([name, means], words));
  return (
    <section>
      <h2>{title}</h2>
      {found.length === 0 && <Empty title={own.noMatch} />}
      <dl class="terms">
        {found.map(({ id, title: name, means }) => (
          <div key={id} id={id}>
            <dt>{name}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">{page}</p>
    </section>
  );
};
