import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';
import { entitiesIn, type FoundEntity } from './found-entities.ts';

const LATEST_FACTS = 100;
const FOUND_FACTS = 100;
const FOUND_TOKENS = 50_000;

/** Entities that match the search words, or those of the latest facts. A known name can be opened directly. */
export const EntitySearch = () => {
  const { client, setup, texts } = useSession();
  const { open } = useAddress();
  const canRecall = hasRoute(setup, 'POST /v1/recall');
  const { typed, settled: words, type } = useSearchWords('entities');
  const name = typed.trim();
  const label = canRecall ? texts.entities.search : texts.entities.name;
  // Without recall the field takes only the name of an entity.
  const settled = canRecall ? words : '';
  const asked = useRequest(
    async (signal) => {
      if (settled === '') {
        const page = await client.call('GET /v1/facts', { query: { limit: LATEST_FACTS }, signal });
        return { found: entitiesIn(page.facts), words: settled };
      }
      const limits = { token_budget: FOUND_TOKENS, limit: FOUND_FACTS };
      const reply = await client.recall({ query: settled, scope: 'global', ...limits }, { signal });
      return { found: entitiesIn(reply.facts.map(({ fact }) => fact)), words: settled };
    },
    [settled],
  );
  const go = (event: Event): void => {
    event.preventDefault();
    if (name !== '') open('entities', { uri: name });
  };
  return (
    <>
      <h1>{texts.screens.entities}</h1>
      <form class="bar" onSubmit={go}>
        <input
          class="grow"
          type="search"
          dir="auto"
          aria-label={label}
          placeholder={label}
          value={typed}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
        <button type="submit" disabled={name === ''}>
          {texts.entities.go}
        </button>
      </form>
      <Answer asked={asked}>{({ found, words: sought }) => <Found found={found} words={sought} />}</Answer>
    </>
  );
};

const Found = ({ found, words }: { found: readonly FoundEntity[]; words: string }) => {
  const { entities: texts } = useSession().texts;
  const isSearch = words !== '';
  if (found.length === 0) {
    return (
      <Empty title={isSearch ? texts.noMatch : texts.nothing}>{isSearch ? texts.noMatchHint : texts.nothingHint}</Empty>
    );
  }
  return (
    <section>
      <h2>{isSearch ? texts.found : texts.latest}</h2>
      <ul class="found">
        {found.map(({ uri, count, fact }) => (
          <li key={uri}>
            <p class="fact fact-says">
              <a class="fact-entity" href={addressOf('entities', { uri })}>
                <ShownText text={uri} />
              </a>
              {isSearch && <span class="muted">{plural(texts.matches, count)}</span>}
            </p>
            <p class="found-fact muted">
              {fact.entity !== uri && <ShownText text={fact.entity} />} <ShownText text={fact.relation} />{' '}
              <ShownValue value={fact.value} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
};
