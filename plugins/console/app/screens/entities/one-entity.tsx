import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Notice } from '../../kit/notice.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useKept } from '../../kit/use-kept.ts';
import { usePaged } from '../../kit/use-paged.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { AssertDialog } from '../facts/assert-dialog.tsx';
import { EntityCard } from './entity-card.tsx';
import { EntityFacts } from './entity-facts.tsx';
import { Moments } from './moments.tsx';
import { Neighbours } from './neighbours.tsx';

const PAGE_FACTS = 200;

/** All that is known of an entity, or that was known at a moment: in short, around it, and fact by fact. */
export const OneEntity = ({ uri }: { uri: string }) => {
  const { client, setup, texts } = useSession();
  const { query, open } = useAddress();
  const [round, setRound] = useState(0);
  const hasPast = hasRoute(setup, 'GET /v1/history/{entity_uri}');
  const asOf = (hasPast && query.as_of) || undefined;
  const asked = usePaged<Fact>(
    async (cursor, signal) => {
      const wanted = { entity: uri, include_contradicted: true, limit: PAGE_FACTS };
      const page = await client.call('GET /v1/facts', {
        query: { ...wanted, ...(asOf && { as_of: asOf }), ...(cursor && { cursor }) },
        signal,
      });
      return { items: page.facts, cursor: page.cursor };
    },
    [uri, asOf, round],
  );
  const facts = useKept(asked);
  const scopes = [...new Set(facts.items.filter(isLive).map(({ scope }) => scope))];
  return (
    <>
      <p class="back">
        <a href={addressOf('entities')}>{texts.entities.all}</a>
      </p>
      <Head uri={uri} onAsserted={() => setRound(round + 1)} />
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

const Head = ({ uri, onAsserted }: { uri: string; onAsserted: () => void }) => {
  const { reader, setup, texts } = useSession();
  const [isAsserting, setAsserting] = useState(false);
  const [made, setMade] = useState<Fact>();
  return (
    <>
      <div class="list-head">
        <h1>
          <ShownText text={uri} />
        </h1>
        <CopyButton text={uri} label={texts.entity.copy} />
        {may(reader, 'write') && hasRoute(setup, 'POST /v1/facts') && (
          <button type="button" onClick={() => setAsserting(true)}>
            {texts.assert.open}
          </button>
        )}
      </div>
      <Notice>
        {made !== undefined && (
          <>
            {texts.assert.done} <a href={addressOf('facts', { id: made.id })}>{texts.fact.see}</a>
          </>
        )}
      </Notice>
      {isAsserting && (
        <AssertDialog
          entity={uri}
          onClose={() => setAsserting(false)}
          onAsserted={(fact) => {
            setAsserting(false);
            setMade(fact);
            onAsserted();
          }}
        />
      )}
    </>
  );
};
