import { defineRef, type FactView, type Principal } from '../../kernel/plugin-api.ts';
import type { OutboxEvent } from './event-row.ts';
import type { EventType, Subscription, TargetType } from './subscription-record.ts';

export type { DeliveryStatus } from './event-row.ts';
export type { CancelReason, EventType, TargetType } from './subscription-record.ts';

/** A request for events about a target, and their address. */
export interface SubscriptionRequest {
  /**
   * A URI, the name of a scope, or a garden. Without `targetType` the text decides: a prefix `entity:` or `scope:`,
   * then the name of a scope, then the URI of a garden. Any other text is an entity.
   */
  readonly target: string;
  readonly targetType?: TargetType | null | undefined;
  /** https at a public host, unless the operator allows more. */
  readonly webhookUrl: string;
  /** 1 to 255 characters. The same key with the same content returns the existing subscription. */
  readonly idempotencyKey?: string | null | undefined;
  /** All types by default; not empty. */
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
  /** Null if the node has lost the key that sealed it. */
  readonly webhookUrl: string | null;
  /** The latest end of the replaced secrets that still sign; null if only the present one signs. */
  readonly formerSecretsEndMs: number | null;
  /** True after so many failures that the webhook is tried only once a minute. */
  readonly circuitOpen: boolean;
}

export interface CreatedSubscription {
  readonly subscription: SubscriptionView;
  /** The signing secret, shown only once. Null for an existing subscription. */
  readonly secret: string | null;
}

/** An event, as far as the owner may see it. */
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
  /** Id of an event, exclusive. */
  readonly afterId?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly sinceMs?: number | undefined;
  /** `seq` of the last event of the previous page. Events up to it count for the total only. */
  readonly position?: number | undefined;
  /** 1 to 500. */
  readonly limit: number;
}

export interface EventPage {
  /** Ascending, in the order of commits. */
  readonly shown: readonly ShownEvent[];
  readonly more: boolean;
  /** Number of matches on all pages, in places that the caller may read. */
  readonly total: number;
}

/** An item of a stream: first `open`, then events, with `waiting` as a heartbeat between them. */
export type StreamStep = 'open' | 'waiting' | ShownEvent;

/**
 * Subscriptions of callers. Callers see only their own; another caller's gives the same `lookup` as an unknown one. All
 * methods need `read`. Each delivery and each read checks the rights of the subscription again. If one is gone, the
 * subscription ends, and its terminal event says so.
 */
export interface Subscriptions {
  /**
   * Subscribes, or returns the existing subscription for a repeated request, which uses the rights of this request from
   * now on. Rejects with `validation` for a request that breaks a rule. Rejects with `authorization` for a scope or
   * garden that the caller may not read. Rejects with `capability_required` and `capability_invalid` without a token
   * that covers the target. Rejects with `webhook_url_forbidden` for an address that the node does not call. Rejects
   * with `idempotency_mismatch` for a key used for another request, and with `limit_reached`.
   */
  create(caller: Principal, request: SubscriptionRequest): Promise<CreatedSubscription>;
  /** Oldest first. */
  list(caller: Principal): Promise<readonly SubscriptionView[]>;
  get(caller: Principal, id: string): Promise<SubscriptionView>;
  /**
   * Replaces the secret; the new one is shown only once. The former secret signs beside it for `overlapSeconds`, 0 to
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
   * Stored events, oldest first, delivered or not. Rejects with `event_not_found` for an `afterId` that is not one of
   * them, with `validation` for a limit out of bounds, and with `authentication` if the caller's own key is no longer
   * valid.
   */
  events(caller: Principal, id: string, query: EventQuery): Promise<EventPage>;
  /**
   * Yields new events, after the named one or from now on. Ends after the terminal event, when the caller's key becomes
   * invalid, and when `signal` aborts. Rejects as `events` does, with `limit_reached` if the key has too many streams,
   * and with `unavailable` if the process has. A stream occupies a slot until it is read to its end or aborted.
   */
  follow(
    caller: Principal,
    id: string,
    from: { readonly afterId?: string | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<StreamStep>>;
}

export const Subscriptions = defineRef<Subscriptions>('subscriptions.subscriptions');
