import type { Subscription } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import type { Texts } from '../../texts/texts.ts';
import { NewSubscription } from './new-subscription.tsx';
import { SubscriptionState } from './subscription-state.tsx';

export const SubscriptionList = () => {
  const { client, texts, own } = useSession('subscriptions');
  const asked = useRequest((signal) => client.call('GET /v1/subscriptions', { signal }), []);
  const actions = useActions(asked.reload);
  return (
    <>
      <ScreenHead title={texts.screens.subscriptions}>
        <Button text={own.create} class="primary" onClick={() => actions.show(<NewSubscription actions={actions} />)} />
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      <Answer asked={asked}>
        {({ subscriptions, truncated }) => (
          <>
            <RecordTable
              label={texts.screens.subscriptions}
              columns={columnsOf(own)}
              rows={subscriptions}
              keyOf={({ id }) => id}
              empty={<Empty title={own.nothing} hint={own.nothingHint} />}
            />
            {truncated && <p class="muted">{own.truncated}</p>}
          </>
        )}
      </Answer>
    </>
  );
};

const columnsOf = (texts: Texts['subscriptions']): readonly Column<Subscription>[] => [
  {
    title: texts.target,
    show: ({ id, target, target_type: type }) => (
      <>
        <a href={addressOf('subscriptions', { id })}>
          <ShownText text={target} />
        </a>{' '}
        <span class="tag">{type}</span>
      </>
    ),
  },
  { title: texts.webhook, show: ({ webhook_url: url }) => <ShownText text={url ?? '–'} /> },
  { title: texts.state, show: (subscription) => <SubscriptionState subscription={subscription} /> },
  { title: texts.lastDelivered, show: ({ last_delivered_at: at }) => <Instant at={at} relative /> },
  { title: texts.created, show: ({ created_at: at }) => <Instant at={at} relative /> },
];
