import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { FactLine } from '../../kit/fact-line.tsx';
import { nameOfFact } from '../../kit/say-again.ts';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { SelectBox } from '../../kit/select-box.tsx';
import { Empty } from '../../kit/state.tsx';
import { useBulk } from '../../kit/use-bulk.tsx';
import { useLive } from '../../kit/use-live.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { useSelection } from '../../kit/use-selection.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { type Query, useAddress } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';
import { FactBar } from './fact-bar.tsx';
import { FactBulk } from './fact-bulk.tsx';
import { FILTERS, SWITCHES } from './filter-names.ts';
import { findFacts, listFacts, markOf, probeFacts } from './find-facts.ts';
import { useAssert } from './use-assert.tsx';

/** The newest facts; with search words, the facts that a recall finds, best first. */
export const FactList = () => {
  const { client, setup, texts, reader } = useSession();
  const { query, open } = useAddress();
  const { typed, settled, type } = useSearchWords('facts', hasRoute(setup, 'POST /v1/recall'));
  const [total, setTotal] = useState<number>();
  const change = (given: Query): void => open('facts', { ...query, ...given }, true);
  const facts = usePaged<Fact>(
    async (cursor, signal) => {
      if (settled !== '') {
        const items = await findFacts(client, settled, query, signal);
        setTotal(undefined);
        return { items, cursor: null };
      }
      const page = await listFacts(client, query, cursor, signal);
      setTotal(page.total);
      return { items: page.facts, cursor: page.cursor };
    },
    [settled, ...FILTERS.map((name) => query[name]), ...SWITCHES.map((name) => query[name])],
  );
  const assert = useAssert(query.entity, facts.reload);
  const selection = useSelection(facts.items, ({ id }) => id);
  const bulk = useBulk(facts.reload);
  const live = useLive({
    probe: (signal) => probeFacts(client, query, signal),
    shown: facts.isLoading || settled !== '' ? undefined : markOf(total, facts.items[0]),
    onChange: () => facts.refresh(({ id }) => id),
  });
  const emptyHint = may(reader, 'write') ? texts.facts.nothingHint : texts.facts.nothingHintRead;
  const isAll = settled === '' && FILTERS.every((name) => !query[name]);
  return (
    <>
      <ScreenHead title={texts.screens.facts}>
        {total !== undefined && facts.error === undefined && (
          <span class="muted">{plural(texts.facts.total, total)}</span>
        )}
        {live}
        {assert.button}
      </ScreenHead>
      {assert.view}
      <FactBar words={typed} isSearching={settled !== ''} query={query} onWords={type} onChange={change} />
      {facts.items.length > 0 && <FactBulk selection={selection} bulk={bulk} />}
      {bulk.view}
      <VirtualRows
        label={texts.screens.facts}
        paged={facts}
        keyOf={({ id }) => id}
        empty={
          <Empty
            title={isAll ? texts.facts.nothing : texts.facts.noMatch}
            hint={isAll ? emptyHint : texts.facts.noMatchHint}
          />
        }
      >
        {(fact) => (
          <div class="select-row">
            <SelectBox item={fact} name={nameOfFact(fact)} selection={selection} />
            <FactLine fact={fact} />
          </div>
        )}
      </VirtualRows>
    </>
  );
};
