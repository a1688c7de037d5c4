import type { Fact } from '../../../../../client/client.ts';
import { matchesWords } from '../../kit/matches-words.ts';
import { hasRoute, may, type Session } from '../../session/session.ts';
import { fill, type Texts } from '../../texts/texts.ts';
import type { Query } from '../address.ts';
import { pluginScreensFor } from '../plugin-screen.tsx';
import { screensFor } from '../screen-list.ts';
import type { Found } from './find-matches.ts';

export type PlaceGroup = keyof Texts['search']['groups'];

/** A place that the search leads to, or an action that it starts. */
export interface Place {
  readonly group: PlaceGroup;
  readonly title: string;
  readonly run: () => void;
}

export interface Ways {
  readonly open: (screen: string, query?: Query) => void;
  readonly showKeys: () => void;
}

/** The screens and actions whose names hold all the words; all of them if there are no words. */
export const placesFor = (session: Session, { open, showKeys }: Ways, words: string): readonly Place[] => {
  const { texts, reader, setup, hasKey, signOut } = session;
  const screens: readonly Place[] = [
    ...screensFor(session).map(({ name }) => ({ title: texts.screens[name], name })),
    ...pluginScreensFor(session),
  ].map(({ title, name }) => ({ group: 'screens', title, run: () => open(name) }));
  const canAssert = may(reader, 'write') && may(reader, 'read') && hasRoute(setup, 'POST /v1/facts');
  const actions: readonly Place[] = [
    ...(canAssert ? [{ title: texts.assert.open, run: () => open('facts', { do: 'assert' }) }] : []),
    { title: texts.search.keys, run: showKeys },
    { title: hasKey ? texts.signIn.out : texts.signIn.withKey, run: signOut },
  ].map((each) => ({ group: 'actions', ...each }));
  return [...screens, ...actions].filter(({ title }) => matchesWords([title], words));
};

/** The entities and facts that the node found, and the list of all facts for the words. */
export const placesOf = (session: Session, { open }: Ways, { words, entities, facts }: Found): readonly Place[] => [
  ...entities.map((uri): Place => ({ group: 'entities', title: uri, run: () => open('entities', { uri }) })),
  ...facts.map((fact): Place => ({ group: 'facts', title: sayFact(fact), run: () => open('facts', { id: fact.id }) })),
  ...(words !== '' && hasRoute(session.setup, 'POST /v1/recall') && may(session.reader, 'read')
    ? [
        {
          group: 'facts' as const,
          title: fill(session.texts.search.allFacts, { words }),
          run: () => open('facts', { q: words }),
        },
      ]
    : []),
];

const sayFact = ({ entity, relation, value }: Fact): string => `${entity} ${relation} ${String(value.v ?? '')}`;
