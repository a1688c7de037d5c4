import type { Subscription } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { DetailView } from '../../kit/detail-view.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { OVERLAPS, readSpan, SpanField } from '../../kit/span-field.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import { EventList } from './event-list.tsx';
import { SubscriptionMembers } from './subscription-members.tsx';

/** A subscription with its state and its stored events. */
export const OneSubscription = ({ id }: { id: string }) => {
  const { client } = useSession();
  const asked = useRequest((signal) => client.subscriptions.get(id, { signal }), [id]);
  const actions = useActions(asked.reload);
  return (
    <DetailView screen="subscriptions" asked={asked}>
      {(subscription) => <Shown subscription={subscription} actions={actions} />}
    </DetailView>
  );
};

interface PartProps {
  readonly subscription: Subscription;
  readonly actions: Actions;
}

const Shown = (props: PartProps) => {
  const { subscription, actions } = props;
  const { own } = useSession('subscriptions');
  const { former_secret_ends_at: endsAt } = subscription;
  return (
    <>
      <ScreenHead title={<ShownText text={subscription.target} />}>
        {subscription.status === 'active' && (
          <Button text={own.rotate} onClick={() => actions.show(<RotateSecret {...props} />)} />
        )}
        <Button text={own.remove} class="danger" onClick={() => actions.show(<EndSubscription {...props} />)} />
      </ScreenHead>
      {actions.view}
      <SubscriptionMembers subscription={subscription} />
      {endsAt !== undefined && (
        <p class="muted">
          {own.formerSecret} <Instant at={endsAt} />
        </p>
      )}
      <EventList id={subscription.id} seconds={subscription.replay_window_s} />
    </>
  );
};

const RotateSecret = ({ subscription, actions }: PartProps) => {
  const { client, own } = useSession('subscriptions');
  return (
    <FormDialog
      title={own.rotate}
      submit={own.rotate}
      onClose={actions.close}
      onSubmit={async (values) => {
        const overlap = { overlap_s: readSpan(values, 'overlap') };
        const { secret } = await client.subscriptions.rotateSecret(subscription.id, overlap);
        actions.done(
          own.rotated,
          <SecretDialog title={own.secretTitle} secret={secret} text={own.secretText} onClose={actions.close} />,
        );
      }}
    >
      <p>{own.rotateText}</p>
      <SpanField name="overlap" label={own.overlap} among={OVERLAPS} value="day" />
    </FormDialog>
  );
};

const EndSubscription = ({ subscription, actions }: PartProps) => {
  const { client, texts } = useSession();
  const { open } = useAddress();
  const { subscriptions: own } = texts;
  return (
    <ConfirmDialog
      title={fill(own.removeTitle, { target: subscription.target })}
      submit={own.remove}
      onClose={actions.close}
      onConfirm={async () => {
        await client.subscriptions.cancel(subscription.id);
        open('subscriptions');
      }}
    >
      <p>{own.removeText}</p>
    </ConfirmDialog>
  );
};
