import type { Garden } from '../../../../../client/client.ts';
import { type Chip, Chips } from '../../kit/chips.tsx';
import { Folded } from '../../kit/folded.tsx';
import { localTime } from '../../kit/instant.tsx';
import { NarrowingFields } from '../../kit/narrowing-fields.tsx';
import { gardenName, useGardens } from '../../kit/use-gardens.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import type { Query } from '../../shell/address.ts';
import type { Texts } from '../../texts/texts.ts';
import { FactFilters } from './fact-filters.tsx';
import { FILTERS, type FilterName, holdsInSearch, SWITCHES } from './filter-names.ts';

interface FactBarProps {
  readonly words: string;
  readonly isSearching: boolean;
  readonly query: Query;
  readonly onWords: (words: string) => void;
  readonly onChange: (given: Query) => void;
}

/** The search, the active filters, further filters, and switches of the list. */
export const FactBar = ({ words, isSearching, query, onWords, onChange }: FactBarProps) => {
  const { setup, texts } = useSession();
  const gardens = useGardens();
  const chips = FILTERS.flatMap((name): Chip[] => {
    const value = query[name];
    if (!value) return [];
    const shown = shownFilter(name, value, { gardens, texts });
    return [{ name, label: texts.filters[name], value, shown, isIdle: isSearching && !holdsInSearch(name) }];
  });
  return (
    <>
      <div class="bar">
        {hasRoute(setup, 'POST /v1/recall') && (
          <input
            class="grow"
            type="search"
            dir="auto"
            aria-label={texts.facts.search}
            placeholder={texts.facts.search}
            value={words}
            onInput={({ currentTarget }) => onWords(currentTarget.value)}
          />
        )}
      </div>
      <Folded title={texts.filters.title}>
        <FactFilters onAdd={(name, value) => onChange({ [name]: value })} />
      </Folded>
      <NarrowingFields value={query} onChange={onChange} />
      <Chips chips={chips} onRemove={(name) => onChange({ [name]: undefined })} />
      {isSearching ? (
        <p class="muted">{chips.some(({ isIdle }) => isIdle) ? texts.facts.searchingIdle : texts.facts.searching}</p>
      ) : (
        <div class="bar">
          {SWITCHES.map((name) => (
            <label key={name} class="switch">
              <input
                type="checkbox"
                checked={query[name] === 'true'}
                onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked ? 'true' : undefined })}
              />
              {texts.facts[name]}
            </label>
          ))}
        </div>
      )}
    </>
  );
};

interface Words {
  readonly gardens: readonly Garden[];
  readonly texts: Texts;
}

/** A readable form of a filter's value. An invalid value stays as typed. */
const shownFilter = (name: FilterName, value: string, { gardens, texts }: Words): string => {
  if (name === 'garden_id') return gardenName(gardens, value);
  if (name === 'attested' && (value === 'true' || value === 'false')) return value === 'true' ? texts.yes : texts.no;
  const ms = name === 'after' || name === 'before' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? value.replaceAll('\n', ', ') : localTime(ms);
};
