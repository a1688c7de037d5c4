import type { Subscription } from '../../../../../client/client.ts';
import { useTexts } from '../../kit/use-texts.ts';
import { plural } from '../../texts/texts.ts';

/** The state of deliveries, with the problem if there is one. */
export const SubscriptionState = ({ subscription }: { subscription: Subscription }) => {
  const { subscriptions: texts } = useTexts();
  const { status, cancelled_reason: reason, delivery_problem: problem } = subscription;
  const { circuit_open: isOpen, consecutive_failures: failures } = subscription;
  if (status === 'cancelled') {
    return (
      <span class="words">
        <span class="tag bad">{texts.cancelled}</span>
        {reason !== undefined && <span>{texts.reasons[reason]}</span>}
      </span>
    );
  }
  return (
    <span class="words">
      <span class="tag good">{texts.active}</span>
      {isOpen && <span class="tag bad">{texts.circuit}</span>}
      {failures > 0 && <span class="tag warn">{plural(texts.failures, failures)}</span>}
      {problem !== undefined && <span class="tag bad">{texts.secretUnreadable}</span>}
    </span>
  );
};
