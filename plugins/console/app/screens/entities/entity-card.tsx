import { useState } from 'preact/hooks';
import { type Card, type Fact, NotFoundError } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill, plural, spellShare } from '../../texts/texts.ts';

interface EntityCardProps {
  readonly uri: string;
  readonly asOf: string | undefined;
  /** The scopes with facts about the entity. A card covers one of them. */
  readonly scopes: readonly Fact['scope'][];
  readonly round: number;
}

/** The node's summary of an entity. A card of the past is made on request, so it needs no refresh. */
export const EntityCard = ({ uri, asOf, scopes, round }: EntityCardProps) => {
  const { client, texts } = useSession();
  const [chosen, choose] = useState<Fact['scope']>();
  const [fresh, setFresh] = useState(0);
  const scope = chosen !== undefined && scopes.includes(chosen) ? chosen : scopes[0];
  const asked = useRequest(
    async (signal): Promise<Card | undefined> => {
      const refresh = fresh > 0 && asOf === undefined;
      const query = { ...(scope && { scope }), ...(asOf ? { as_of: asOf } : { refresh }) };
      try {
        return await client.card(uri, query, { signal });
      } catch (error) {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }
    },
    [uri, asOf, scope, round, fresh],
  );
  return (
    <section class="entity-card">
      <ScreenHead level={2} title={texts.card.title}>
        {scopes.length > 1 && (
          <select
            aria-label={texts.card.scope}
            value={scope}
            onChange={({ currentTarget }) => choose(currentTarget.value as Fact['scope'])}
          >
            {scopes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        {asOf === undefined && (
          <Button text={texts.card.refresh} disabled={asked.isLoading} onClick={() => setFresh(fresh + 1)} />
        )}
      </ScreenHead>
      <Answer asked={asked}>
        {(card) => (card === undefined ? <p class="muted">{texts.card.none}</p> : <CardText card={card} />)}
      </Answer>
    </section>
  );
};

const CardText = ({ card }: { card: Card }) => {
  const { card: texts } = useSession().texts;
  const about = fill(plural(texts.about, card.fact_hashes.length), { share: spellShare(card.avg_confidence) });
  return (
    <>
      <ScrollBox class="says" label={texts.title}>
        <ShownText text={card.summary.replace(HEADING, '')} short={false} />
      </ScrollBox>
      <p class="fact-about muted">
        <span>
          {about} <Instant at={card.refreshed_at} relative />
        </span>
        <span class="tag">{card.scope}</span>
        {card.has_contradictions && (
          <span class="tag warn">{plural(texts.contradictions, card.contradicted_count)}</span>
        )}
        {card.is_stale && <span class="tag warn">{texts.stale}</span>}
      </p>
      {card.force_refresh_timeout && (
        <p class="muted" role="status">
          {texts.timeout}
        </p>
      )}
    </>
  );
};

/** Matches the first line of a card, the entity's name for programs; the screen shows the name above. */
const HEADING = /^## [^\n]*\n/;
