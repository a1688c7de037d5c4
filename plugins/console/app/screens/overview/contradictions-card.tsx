import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useAsked } from '../../kit/use-asked.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { readContradictions } from '../contradictions/read-contradictions.ts';
import { OverviewCard } from './overview-card.tsx';

const PAGES = 2;

/** How many contradictions wait, and the one that waits longest. */
export const ContradictionsCard = ({ round }: { round: number }) => {
  const { client, texts } = useSession();
  const { overview: own } = texts;
  const asked = useAsked(
    (signal) => readContradictions(client, { status: 'unresolved', pages: PAGES, signal }),
    [round],
  );
  return (
    <OverviewCard title={own.contradictions} screen="contradictions">
      <Answer asked={asked}>
        {({ list, hasMore }) => {
          const oldest = list[0];
          return (
            <>
              <p class="figure">
                {list.length.toLocaleString()}
                {hasMore && '+'}
              </p>
              {oldest === undefined ? (
                <p class="muted">{own.nothingContradicts}</p>
              ) : (
                <p>
                  {hasMore ? own.oldOne : own.oldest} <Instant at={oldest.detected_at} relative />:{' '}
                  <a href={addressOf('contradictions', { id: oldest.conflict_id })}>
                    <ShownText text={oldest.fact_a.entity} /> <ShownText text={oldest.fact_a.relation} />
                  </a>
                </p>
              )}
            </>
          );
        }}
      </Answer>
    </OverviewCard>
  );
};
