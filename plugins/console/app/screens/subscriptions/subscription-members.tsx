import type { Subscription } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { SubscriptionState } from './subscription-state.tsx';
import { EVENT_TYPES } from './targets.ts';

export const SubscriptionMembers = ({ subscription }: { subscription: Subscription }) => {
  const { subscriptions: own } = useTexts();
  const { target_type: type, webhook_url: url, event_types: events, last_delivered_at: lastAt } = subscription;
  return (
    <dl class="members">
      <dt>{own.state}</dt>
      <dd>
        <SubscriptionState subscription={subscription} />
      </dd>
      <dt>{own.targetType}</dt>
      <dd>{own.targetTypes[type]}</dd>
      <dt>{own.webhook}</dt>
      <dd>
        <ShownText text={url ?? '–'} />
      </dd>
      <dt>{own.eventTypes}</dt>
      <dd>{(events ?? EVENT_TYPES).map((each) => own.events[each]).join(', ')}</dd>
      <dt>{own.lastDelivered}</dt>
      <dd>
        <Instant at={lastAt} />
      </dd>
      <dt>{own.created}</dt>
      <dd>
        <Instant at={subscription.created_at} />
      </dd>
      {subscription.idempotency_key !== null && (
        <>
          <dt>{own.idempotency}</dt>
          <dd>
            <ShownText text={subscription.idempotency_key} />
          </dd>
        </>
      )}
    </dl>
  );
};
