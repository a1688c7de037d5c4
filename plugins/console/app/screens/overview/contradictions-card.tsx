import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { type RequestState, useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { spellNumber } from '../../texts/texts.ts';
import { type Contradictions, readContradictions } from '../contradictions/read-contradictions.ts';
import { OverviewCard } from './overview-card.tsx';

const GLANCE = 50;
const PAGES = 4;

/** Reads a few contradictions at first, which mostly suffices, and counts many of them in the background. */
const useOpen = (round: number): RequestState<Contradictions> => {
  const { client } = useSession();
  const status = 'unresolved';
  const glance = useRequest(
    (signal) => readContradictions(client, { status, pages: 1, limit: GLANCE, signal }),
    [round],
  );
  const isMore = glance.data?.hasMore === true;
  const all = useRequest(
    async (signal) => (isMore ? readContradictions(client, { status, pages: PAGES, signal }) : undefined),
    [round, isMore],
  );
  return isMore && all.data !== undefined ? { ...all, data: all.data } : glance;
};

/** The number of open contradictions, and the oldest one. */
export const ContradictionsCard = ({ round }: { round: number }) => {
  const { own } = useSession('overview');
  const asked = useOpen(round);
  return (
    <OverviewCard title={own.contradictions} screen="contradictions" needs={(asked.data?.list.length ?? 0) > 0}>
      <Answer asked={asked}>
        {({ list, hasMore }) => {
          const oldest = list[0];
          return (
            <>
              <p class="figure">
                {spellNumber(list.length)}
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
