import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../kit/dialog.tsx';
import { groupBy } from '../../kit/group-by.ts';
import { later } from '../../kit/platform.ts';
import { Problem } from '../../kit/problem.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useDebounced } from '../../kit/use-debounced.ts';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../address.ts';
import { findMatches } from './find-matches.ts';
import { type Place, placesFor, placesOf } from './offered-places.ts';

interface SearchProps {
  readonly onClose: () => void;
  readonly showKeys: () => void;
}

/** A search over screens, actions, entities and facts. The arrow keys choose, and Enter opens. */
export const SearchDialog = ({ onClose, showKeys }: SearchProps) => {
  const session = useSession();
  const { search: texts } = session.texts;
  const { open } = useAddress();
  const [typed, type] = useState('');
  const words = typed.trim();
  const settled = useDebounced(words);
  const asked = useRequest((signal) => findMatches(session, settled, signal), [settled]);
  const ways = { open, showKeys };
  // An answer to other words is no match for these.
  const found = asked.data?.words === words ? placesOf(session, ways, asked.data) : [];
  const places = [...placesFor(session, ways, words), ...found];
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, places.length - 1);
  const run = (place: Place | undefined): void => {
    if (place === undefined) return;
    onClose();
    later(0, focusScreen);
    place.run();
  };
  const isSearching = asked.isLoading || settled !== words;
  const press = (event: KeyboardEvent): void => {
    const to = stepTo(event.key, at, places.length);
    if (to !== undefined) choose(to);
    else if (event.key === 'Enter') run(places[at]);
    else return;
    event.preventDefault();
  };
  const id = useId();
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <input
        type="text"
        dir="auto"
        role="combobox"
        data-first-focus
        aria-label={texts.label}
        placeholder={texts.label}
        aria-expanded={places.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={places.length > 0 ? `${id}-${at}` : undefined}
        value={typed}
        onInput={({ currentTarget }) => {
          type(currentTarget.value);
          choose(0);
        }}
        onKeyDown={press}
      />
      {asked.error !== undefined && <Problem error={asked.error} retry={asked.reload} />}
      <Matches id={id} places={places} at={at} onRun={run} />
      <p class="hint" role="status">
        {isSearching ? `${session.texts.loading}…` : places.length === 0 ? texts.nothing : texts.hint}
      </p>
    </Dialog>
  );
};

/** Gives the focus to the screen, which may have been open already. An action may have opened a dialog. */
const focusScreen = (): void => {
  if (document.querySelector('dialog[open]') === null) document.getElementById('content')?.focus();
};

const stepTo = (key: string, at: number, count: number): number | undefined => {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at + count - 1) % count;
  return undefined;
};

interface MatchesProps {
  readonly id: string;
  readonly places: readonly Place[];
  readonly at: number;
  readonly onRun: (place: Place) => void;
}

/** The matches in their groups. The field keeps the focus, so that the reader can type on. */
const Matches = ({ id, places, at, onRun }: MatchesProps) => {
  const { search: texts } = useSession().texts;
  const chosen = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [at, places.length]);
  const groups = groupBy(
    places.map((place, index) => ({ place, index })),
    ({ place }) => place.group,
  );
  return (
    <div class="matches" role="listbox" id={id} aria-label={texts.title} tabIndex={-1}>
      {[...groups].map(([group, items]) => (
        // biome-ignore lint/a11y/useSemanticElements: a list box takes groups by role alone
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <p id={`${id}-${group}`} class="matches-group">
            {texts.groups[group]}
          </p>
          {items.map(({ place, index }) => (
            <button
              key={index}
              id={`${id}-${index}`}
              type="button"
              role="option"
              tabIndex={-1}
              class="match"
              ref={index === at ? chosen : null}
              aria-selected={index === at}
              onClick={() => onRun(place)}
            >
              <ShownText text={place.title} />
            </button>
          ))}
        </div>
      ))}
    </div>
  );
};
