import { useState } from 'preact/hooks';
import type { Fact, QueryOf } from '../../../../../client/client.ts';
import { Chips } from '../../kit/chips.tsx';
import { FactLine } from '../../kit/fact-line.tsx';
import { Empty } from '../../kit/state.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { useSettled } from '../../kit/use-settled.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { hasRoute, useSession } from '../../session/session.ts';
import { type Query, useAddress } from '../../shell/address.ts';
import { FactFilters } from './fact-filters.tsx';

const PAGE_FACTS = 100;
const FOUND_FACTS = 100;
const FOUND_TOKENS = 50_000;
const FILTERS = ['entity', 'relation', 'source', 'scope', 'garden_id', 'session', 'min_confidence'] as const;

/** Facts by what they say, newest first; with words in the search, those that a recall finds, best first. */
export const FactList = () => {
  const { client, texts, setup } = useSession();
  const { query, open } = useAddress();
  const [words, setWords] = useState(query.q ?? '');
  const settled = useSettled(words.trim());
  const chips = FILTERS.flatMap((name) => {
    const value = query[name];
    return value ? [{ name, label: texts.filters[name], value }] : [];
  });
  const change = (given: Query): void => open('facts', { ...query, ...given }, true);
  const canSearch = hasRoute(setup, 'POST /v1/recall');
  const facts = usePaged<Fact>(
    async (cursor, signal) => {
      if (settled !== '') return { items: await find(settled, signal), cursor: null };
      const filters = Object.fromEntries(chips.map(({ name, value }) => [name, value]));
      const asked = { ...filters, include_contradicted: true, limit: PAGE_FACTS, ...(cursor && { cursor }) };
      const page = await client.call('GET /v1/facts', { query: asked as QueryOf<'GET /v1/facts'>, signal });
      return { items: page.facts, cursor: page.cursor };
    },
    [settled, JSON.stringify(chips)],
  );
  const find = async (text: string, signal: AbortSignal): Promise<Fact[]> => {
    const { relation, scope, min_confidence: least, entity } = query;
    const reply = await client.recall(
      {
        query: text,
        token_budget: FOUND_TOKENS,
        limit: FOUND_FACTS,
        include_contradicted: true,
        scope: scope ?? 'global',
        ...(relation && { relation }),
        ...(entity && { entity }),
        ...(least && { min_confidence: Number(least) }),
      },
      { signal },
    );
    return reply.facts.map(({ fact }) => fact);
  };
  return (
    <>
      <h1>{texts.screens.facts}</h1>
      <div class="bar">
        {canSearch && (
          <input
            class="grow"
            type="search"
            aria-label={texts.facts.search}
            placeholder={texts.facts.search}
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        )}
        <FactFilters onAdd={(name, value) => change({ [name]: value })} />
      </div>
      <Chips chips={chips} onRemove={(name) => change({ [name]: undefined })} />
      <VirtualRows
        label={texts.screens.facts}
        paged={facts}
        keyOf={({ id }) => id}
        empty={
          <Empty title={settled === '' && chips.length === 0 ? texts.facts.nothing : texts.facts.noMatch}>
            <p>{settled === '' && chips.length === 0 ? texts.facts.nothingHint : texts.facts.noMatchHint}</p>
          </Empty>
        }
      >
        {(fact) => <FactLine fact={fact} />}
      </VirtualRows>
    </>
  );
};
