import { useAddress } from '../../shell/address.ts';
import { OneSubscription } from './one-subscription.tsx';
import { SubscriptionList } from './subscription-list.tsx';

/** All subscriptions of the reader, or the one that the address names. */
export const Subscriptions = () => {
  const { query } = useAddress();
  return query.id === undefined ? <SubscriptionList /> : <OneSubscription key={query.id} id={query.id} />;
};
