import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { spellNumber } from '../../texts/texts.ts';
import { OverviewCard } from './overview-card.tsx';

const SHOWN = 4;

/** Keys that expire soon, soonest first. */
export const KeysCard = ({ round }: { round: number }) => {
  const { client, own } = useSession('overview');
  const asked = useRequest((signal) => client.call('GET /v1/auth/keys/expiring-soon', { signal }), [round]);
  return (
    <OverviewCard title={own.keys} screen="keys" needs={(asked.data?.length ?? 0) > 0}>
      <Answer asked={asked}>
        {(keys) =>
          keys.length === 0 ? (
            <p class="muted">{own.noKeys}</p>
          ) : (
            <>
              <p class="figure">{spellNumber(keys.length)}</p>
              <ul class="overview-list">
                {keys.slice(0, SHOWN).map((key) => (
                  <li key={key.id}>
                    <ShownText text={key.entity_uri} />{' '}
                    <span class="muted">
                      <Instant at={key.expires_at} relative />
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Answer>
    </OverviewCard>
  );
};
