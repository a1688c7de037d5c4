import type { Subscription } from './api-types.ts';
import type { AnswerOf, BodyOf, Caller, CallOptions, QueryOf } from './call-types.ts';
import type { Connection } from './connection.ts';
import { type FollowOptions, followEvents, type SubscriptionEvent } from './follow-events.ts';
import { Pages } from './pages.ts';

type EventPage = AnswerOf<'GET /v1/subscriptions/{id}/events'>;
type KeptEvent = EventPage['events'][number];

/** Subscriptions of the caller: webhooks, and streams of new events. */
export interface SubscriptionCalls {
  /**
   * Needs a capability token with the verb `subscribe`, in the body or as the option `capability`. Only this reply
   * contains the `secret` of the subscription.
   */
  create(
    subscription: BodyOf<'POST /v1/subscriptions'>,
    options?: CallOptions,
  ): Promise<Subscription & { secret?: string }>;
  list(options?: CallOptions): Promise<Subscription[]>;
  get(id: string, options?: CallOptions): Promise<Subscription>;
  cancel(id: string, options?: CallOptions): Promise<void>;
  rotateSecret(
    id: string,
    body?: BodyOf<'POST /v1/subscriptions/{id}/rotate-secret'>,
    options?: CallOptions,
  ): Promise<Subscription & { secret: string }>;
  /** Events that the node still keeps, oldest first. */
  replay(
    id: string,
    query?: QueryOf<'GET /v1/subscriptions/{id}/events'>,
    options?: CallOptions,
  ): Pages<EventPage, KeptEvent>;
  /**
   * Yields new events over a connection that is reopened when it breaks. Each event comes at least once. Ends when the
   * subscription is cancelled; leave the loop or abort the signal to end it earlier.
   */
  events(id: string, options?: FollowOptions): AsyncIterable<SubscriptionEvent>;
}

export const subscriptionCalls = ({ call }: Caller, connection: Connection): SubscriptionCalls => ({
  create: (body, options) => call('POST /v1/subscriptions', { ...options, body }),
  list: async (options) => (await call('GET /v1/subscriptions', options)).subscriptions,
  get: (id, options) => call('GET /v1/subscriptions/{id}', { ...options, params: { id } }),
  cancel: (id, options) => call('DELETE /v1/subscriptions/{id}', { ...options, params: { id } }),
  rotateSecret: (id, body = {}, options = {}) =>
    call('POST /v1/subscriptions/{id}/rotate-secret', { ...options, params: { id }, body }),
  replay: (id, query = {}, options = {}) =>
    new Pages({
      // After the first page, the cursor replaces the event or time at which the list begins.
      get: (cursor) =>
        call('GET /v1/subscriptions/{id}/events', { ...options, params: { id }, query: { ...query, cursor } }),
      itemsOf: ({ events }) => events,
      cursorOf: ({ cursor }) => cursor,
    }),
  events: (id, options) => followEvents(connection, id, options),
});
