import { defineRef, type FactView, type Principal } from '../../kernel/plugin-api.ts';
import type { OutboxEvent } from './event-row.ts';
import type { EventType, Subscription, TargetType } from './subscription-record.ts';

export type { EventType, TargetType } from './subscription-record.ts';

/** A request for events about a target, to be sent to an address. */
export interface SubscriptionRequest {
  /**
   * The target: a URI, the name of a scope, or a garden. Without `targetType` the text decides: a prefix `entity:` or
   * `scope:`, then the name of a scope, then the URI of a garden. Any other text is an entity.
   */
  readonly target: string;
  readonly targetType?: TargetType | null | undefined;
  /** The address: https at a public host, unless the operator allows more. */
  readonly webhookUrl: string;
  /** The idempotency key: 1 to 255 characters. The same key with the same content returns the existing subscription. */
  readonly idempotencyKey?: string | null | undefined;
  /** The event types to report, at least one; all types by default. */
  readonly eventTypes?: readonly EventType[] | null | undefined;
  /** The text of a capability token with the verb `subscribe` that covers the target. */
  readonly capabilityToken?: string | undefined;
}

/** A subscription as its owner sees it. */
export interface SubscriptionView
  extends Pick<
    Subscription,
    | 'id'
    | 'ownerUri'
    | 'target'
    | 'targetType'
    | 'eventTypes'
    | 'idempotencyKey'
    | 'status'
    | 'cancelledReason'
    | 'createdMs'
    | 'lastDeliveredMs'
    | 'failures'
  > {
  /** The address; null if the node has lost the key that encrypted it. */
  readonly webhookUrl: string | null;
  /** The latest instant at which a former secret still signs; null if only the present one signs. */
  readonly formerSecretsEndMs: number | null;
  /** True after so many failures that the webhook is tried only once a minute. */
  readonly circuitOpen: boolean;
}

export interface CreatedSubscription {
  readonly subscription: SubscriptionView;
  /** The signing secret, shown only once; null for an existing subscription. */
  readonly secret: string | null;
}

/** An event, with the members that its owner may see. */
export type SubscriptionEvent = Pick<
  OutboxEvent,
  'seq' | 'id' | 'subscriptionId' | 'type' | 'factId' | 'hlc' | 'createdMs' | 'deliveredMs' | 'status' | 'attempts'
>;

/** An event that may be shown, with its content. The terminal event has none. */
export interface ShownEvent {
  readonly event: SubscriptionEvent;
  readonly view: FactView | null;
}

export interface EventQuery {
  /** The id of an event, exclusive. */
  readonly afterId?: string | undefined;
  /** The start of the period, in milliseconds since the epoch, inclusive. */
  readonly sinceMs?: number | undefined;
  /** The `seq` of the last event of the previous page. Events up to it count only for the total. */
  readonly position?: number | undefined;
  /** The maximum number of events: 1 to 500. */
  readonly limit: number;
}

export interface EventPage {
  /** The events, ascending, in the order of commits. */
  readonly shown: readonly ShownEvent[];
  readonly more: boolean;
  /** The number of matches on all pages, in scopes and gardens that the caller may read. */
  readonly total: number;
}

/** An item of a stream: first `open`, then events, with `waiting` as a heartbeat between them. */
export type StreamStep = 'open' | 'waiting' | ShownEvent;

/**
 * Manages the subscriptions of callers. Callers see only their own; another caller's causes the same `lookup` as an
 * unknown one. All methods need `read`. Each delivery and each read checks the rights of the subscription again. If a
 * right no longer exists, the subscription ends, and its terminal event reports that.
 */
export interface Subscriptions {
  /**
   * Creates a subscription. For a repeated request it returns the existing one, which uses the rights of this request
   * from now on. Rejects with `validation` for a request that breaks a rule. Rejects with `authorization` for a scope
   * or garden that the caller may not read. Rejects with `capability_required` or `capability_invalid` without a token
   * that covers the target. Rejects with `webhook_url_forbidden` for an address that the node does not call. Rejects
   * with `idempotency_mismatch` for a key that another request has used, and with `limit_reached`.
   */
  create(caller: Principal, request: SubscriptionRequest): Promise<CreatedSubscription>;
  /** Returns the caller's subscriptions, oldest first. */
  list(caller: Principal): Promise<readonly SubscriptionView[]>;
  get(caller: Principal, id: string): Promise<SubscriptionView>;
  /**
   * Replaces the secret; the new one is shown only once. The former secret still signs for `overlapSeconds`, 0 to
   * `MAX_OVERLAP_SECONDS`, by default as long as the setting says; 0 ends every former secret at once. Rejects with
   * `conflict` for an ended subscription, and with `limit_reached` if too many former secrets still sign.
   */
  rotateSecret(
    caller: Principal,
    id: string,
    options?: { readonly overlapSeconds?: number | undefined },
  ): Promise<{ readonly subscription: SubscriptionView; readonly secret: string }>;
  /** Ends a subscription and deletes its events. */
  delete(caller: Principal, id: string): Promise<void>;
  /**
   * Returns stored events, oldest first, delivered or not. Rejects with `event_not_found` for an `afterId` that is not
   * one of them, with `validation` for a limit out of range, and with `authentication` if the caller's own key is no
   * longer valid.
   */
  events(caller: Principal, id: string, query: EventQuery): Promise<EventPage>;
  /**
   * Yields new events: after the named one, since an instant in milliseconds since 1970, or from now on. Ends after the
   * terminal event, when the caller's key becomes invalid, and when `signal` aborts. Rejects as `events` does, with
   * `event_not_found` for an instant before the replay window, with `limit_reached` if the key has too many streams,
   * and with `unavailable` if the process has. A stream occupies a slot until it is read to its end or aborted.
   */
  follow(
    caller: Principal,
    id: string,
    from: {
      readonly afterId?: string | undefined;
      readonly sinceMs?: number | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<AsyncIterable<StreamStep>>;
}

export const Subscriptions = defineRef<Subscriptions>('subscriptions.subscriptions');
