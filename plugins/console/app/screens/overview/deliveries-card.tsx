import type { AnswerOf } from '../../../../../client/client.ts';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { plural, spellNumber, type Texts } from '../../texts/texts.ts';
import { OverviewCard } from './overview-card.tsx';

type Subscription = AnswerOf<'GET /v1/subscriptions'>['subscriptions'][number];

const SHOWN = 4;

/** The reader's subscriptions with delivery problems. */
export const DeliveriesCard = ({ round }: { round: number }) => {
  const { client, texts, own } = useSession('overview');
  const asked = useRequest((signal) => client.call('GET /v1/subscriptions', { signal }), [round]);
  const hasTrouble = asked.data?.subscriptions.some((each) => troubleOf(each, texts) !== undefined) === true;
  return (
    <OverviewCard title={own.deliveries} screen="subscriptions" needs={hasTrouble}>
      <Answer asked={asked}>
        {({ subscriptions }) => {
          const needy = subscriptions.flatMap((each) => {
            const trouble = troubleOf(each, texts);
            return trouble === undefined ? [] : [{ ...each, trouble }];
          });
          if (subscriptions.length === 0) return <p class="muted">{own.noSubscriptions}</p>;
          if (needy.length === 0) return <p>{plural(own.deliveriesWell, subscriptions.length)}</p>;
          return (
            <>
              <p class="figure bad">{spellNumber(needy.length)}</p>
              <ul class="overview-list">
                {needy.slice(0, SHOWN).map(({ id, target, trouble }) => (
                  <li key={id}>
                    <a href={addressOf('subscriptions', { id })}>
                      <ShownText text={target} />
                    </a>{' '}
                    <span class="tag bad">{trouble}</span>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Answer>
    </OverviewCard>
  );
};

/** The problem of a subscription. Undefined without one, and for a subscription that its owner has cancelled. */
const troubleOf = (subscription: Subscription, { overview: own }: Texts): string | undefined => {
  if (subscription.status === 'cancelled') {
    const { cancelled_reason: reason } = subscription;
    return reason === undefined ? undefined : own.cancelled[reason];
  }
  if (subscription.delivery_problem !== undefined) return own.secretUnreadable;
  if (subscription.circuit_open) return own.suspended;
  const { consecutive_failures: failures } = subscription;
  return failures > 0 ? plural(own.failures, failures) : undefined;
};
