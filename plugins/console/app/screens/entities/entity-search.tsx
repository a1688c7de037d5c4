import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { fill, plural } from '../../texts/texts.ts';
import { EntityKinds } from './entity-kinds.tsx';
import { entitiesIn, type FoundEntity, subjectsOf } from './found-entities.ts';
import { inOrder, kindOf, kindsOf, ORDERS } from './kinds-of.ts';
import { type AskedKinds, useKinds } from './use-kinds.ts';

const LATEST_FACTS = 500;
const FOUND_FACTS = 100;
const FOUND_TOKENS = 50_000;

/** Entities that match the search words, or those of the latest facts. A known name can be opened directly. */
export const EntitySearch = () => {
  const { client, setup, texts } = useSession();
  const { query, open } = useAddress();
  const { kind } = query;
  const known = useKinds();
  const canRecall = hasRoute(setup, 'POST /v1/recall');
  const { typed, settled: words, type } = useSearchWords('entities');
  const name = typed.trim();
  const label = canRecall ? texts.entities.search : texts.entities.name;
  // Without recall the field takes only the name of an entity.
  const settled = canRecall ? words : '';
  const asked = useRequest(
    async (signal) => {
      if (settled === '') {
        // Names of a kind have a beginning in common, those without a kind have not.
        const narrowed = kind ? { entities: [`${kind}:*`] } : {};
        const limits = { limit: LATEST_FACTS, fields: 'compact' };
        const page = await client.call('GET /v1/facts', { query: { ...limits, ...narrowed }, signal });
        const found = kind ? subjectsOf(page.facts) : entitiesIn(page.facts);
        return { found, words: settled, read: page.facts.length, narrowedTo: kind || undefined };
      }
      const limits = { token_budget: FOUND_TOKENS, limit: FOUND_FACTS };
      const reply = await client.recall({ query: settled, scope: 'global', ...limits }, { signal });
      const facts = reply.facts.map(({ fact }) => fact);
      return { found: entitiesIn(facts), words: settled, read: facts.length };
    },
    [settled, settled === '' ? kind || '' : ''],
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
      <Answer asked={asked}>{(reply) => <Found {...reply} known={known} />}</Answer>
    </>
  );
};

interface FoundProps {
  readonly found: readonly FoundEntity[];
  readonly words: string;
  /** The number of facts that were read. */
  readonly read: number;
  /** The kind to which the node has narrowed the facts; undefined if it has not. */
  readonly narrowedTo?: string | undefined;
  readonly known: AskedKinds;
}

const Found = ({ found, words, read, narrowedTo, known }: FoundProps) => {
  const { own } = useSession('entities');
  const { query, open } = useAddress();
  const { kind } = query;
  const isSearch = words !== '';
  const isCounted = !isSearch && (known.isLoading || known.data !== undefined);
  const order = ORDERS.find((each) => each === query.order) ?? 'match';
  const shown = inOrder(
    kind === undefined || kind === narrowedTo ? found : found.filter(({ uri }) => kindOf(uri) === kind),
    order,
  );
  if (found.length === 0 && (isSearch || kind === undefined)) {
    return <Empty title={isSearch ? own.noMatch : own.nothing}>{isSearch ? own.noMatchHint : own.nothingHint}</Empty>;
  }
  return (
    <section>
      <h2>{isSearch ? own.found : own.latest}</h2>
      <EntityKinds
        kinds={isCounted ? known.data : kindsOf(found)}
        counted={fill(isCounted ? own.countedByNode : own.counted, { count: read })}
        kind={kind}
        order={order}
        onKind={(chosen) => open('entities', { ...query, kind: chosen }, true)}
        onOrder={(chosen) => open('entities', { ...query, order: chosen === 'match' ? undefined : chosen }, true)}
      />
      <ul class="found">
        {shown.map(({ uri, count, fact }) => (
          <li key={uri}>
            <p class="fact fact-says">
              <a class="fact-entity" href={addressOf('entities', { uri })}>
                <ShownText text={uri} />
              </a>
              <span class="muted">{plural(isSearch ? own.matches : own.facts, count)}</span>
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
