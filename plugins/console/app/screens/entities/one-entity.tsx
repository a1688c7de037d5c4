import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { BackLink } from '../../kit/back-link.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { groupBy } from '../../kit/group-by.ts';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useLive } from '../../kit/use-live.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { usePreviousItems } from '../../kit/use-previous-items.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { markOf, probeFacts } from '../facts/find-facts.ts';
import { useAssert } from '../facts/use-assert.tsx';
import { EntityCard } from './entity-card.tsx';
import { EntityFacts } from './entity-facts.tsx';
import { Moments } from './moments.tsx';
import { Neighbours } from './neighbours.tsx';

const PAGE_FACTS = 200;

/** An entity at the shown moment: its summary, its neighbours and its facts. */
export const OneEntity = ({ uri }: { uri: string }) => {
  const { client, setup, texts } = useSession();
  const { query, open } = useAddress();
  const [round, setRound] = useState(0);
  const [total, setTotal] = useState<number>();
  const hasPast = hasRoute(setup, 'GET /v1/history/{entity_uri}');
  const asOf = (hasPast && query.as_of) || undefined;
  const asked = usePaged<Fact>(
    async (cursor, signal) => {
      const wanted = { entity: uri, include_contradicted: true, limit: PAGE_FACTS };
      const page = await client.call('GET /v1/facts', {
        query: { ...wanted, ...(asOf && { as_of: asOf }), ...(cursor && { cursor }) },
        signal,
      });
      setTotal(page.total);
      return { items: page.facts, cursor: page.cursor };
    },
    [uri, asOf, round],
  );
  const facts = usePreviousItems(asked);
  const assert = useAssert(uri, () => setRound(round + 1));
  const live = useLive({
    probe: (signal) => probeFacts(client, { entity: uri }, signal),
    shown: asked.isLoading || asOf !== undefined ? undefined : markOf(total, asked.items[0]),
    onChange: () => setRound((before) => before + 1),
  });
  // The scope with the most facts comes first.
  const scopes = [...groupBy(facts.items.filter(isLive), ({ scope }) => scope)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([scope]) => scope);
  return (
    <>
      <BackLink screen="entities" />
      <ScreenHead title={<ShownText text={uri} />}>
        <CopyButton text={uri} label={texts.entity.copy} />
        {live}
        {assert.button}
      </ScreenHead>
      {assert.view}
      {hasPast && (
        <Moments
          key={round}
          uri={uri}
          asOf={asOf}
          onChoose={(moment) => open('entities', { ...query, as_of: moment }, true)}
        />
      )}
      <div class="entity-parts">
        {hasRoute(setup, 'GET /v1/cards/{entity_uri}') && scopes.length > 0 && (
          <EntityCard uri={uri} asOf={asOf} scopes={scopes} round={round} />
        )}
        {hasRoute(setup, 'GET /v1/graph/neighbors') && facts.error === undefined && (
          <Neighbours uri={uri} asOf={asOf} round={round} />
        )}
      </div>
      <EntityFacts uri={uri} facts={facts} isPast={asOf !== undefined} />
    </>
  );
};

const isLive = ({ confidence }: Fact): boolean => confidence > 0;
