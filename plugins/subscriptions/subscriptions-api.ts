import { defineRef, type FactView, type Principal } from '../../kernel/plugin-api.ts';
import type { OutboxEvent } from './event-row.ts';
import type { EventType, Subscription, TargetType } from './subscription-record.ts';

export type { DeliveryStatus } from './event-row.ts';
export type { CancelReason, EventType, TargetType } from './subscription-record.ts';

/** What a caller wants to be told of, and where. */
export interface SubscriptionRequest {
  /**
   * A URI, the name of a scope, or a garden. Without `targetType`, a prefix `entity:` or `scope:` decides, then the
   * name of a scope, then the URI of a garden; anything else is an entity.
   */
  readonly target: string;
  readonly targetType?: TargetType | null | undefined;
  /** https, of a public host, unless the operator allows more. */
  readonly webhookUrl: string;
  /** 1 to 255 characters. The same key with the same content finds the subscription that was made first. */
  readonly idempotencyKey?: string | null | undefined;
  /** All types without it; not empty. */
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
  /** Null where the node cannot read it any more, because it was closed under a key that the node has lost. */
  readonly webhookUrl: string | null;
  /** When the last secret ends that was replaced and still signs; null where the present one signs alone. */
  readonly formerSecretsEndMs: number | null;
  /** Whether the webhook failed so often that it is tried once a minute only. */
  readonly circuitOpen: boolean;
}

export interface CreatedSubscription {
  readonly subscription: SubscriptionView;
  /** What signs the deliveries: this once. Null where the subscription was there already. */
  readonly secret: string | null;
}

/** Something that happened, as far as the owner may be told. */
export type SubscriptionEvent = Pick<
  OutboxEvent,
  'seq' | 'id' | 'subscriptionId' | 'type' | 'factId' | 'hlc' | 'createdMs' | 'deliveredMs' | 'status' | 'attempts'
>;

/** An event that may be shown, with what it says; the event that ends a subscription says nothing. */
export interface ShownEvent {
  readonly event: SubscriptionEvent;
  readonly view: FactView | null;
}

export interface EventQuery {
  /** Id of an event, exclusive. */
  readonly afterId?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly sinceMs?: number | undefined;
  /** `seq` of the last event of the page before; events up to it are counted and not shown. */
  readonly position?: number | undefined;
  /** 1 to 500. */
  readonly limit: number;
}

export interface EventPage {
  /** Ascending, by the order of commits. */
  readonly shown: readonly ShownEvent[];
  readonly more: boolean;
  /** How many there are over all pages, in the places that the caller may read. */
  readonly total: number;
}

/** What a stream yields: once `open`, then events as they come, and `waiting` as a sign of life between them. */
export type StreamStep = 'open' | 'waiting' | ShownEvent;

/**
 * Subscriptions of callers. A caller has its own alone; those of others are the same `lookup` as unknown ones. All
 * methods need `read`. The rights that a subscription was made with are judged again at every delivery and every look:
 * when one has gone, the subscription ends, and its last event says so.
 */
export interface Subscriptions {
  /**
   * Subscribes, or finds the subscription that the caller has asked for before, which lives by the rights of this
   * request from now on. Rejects with `validation` for a request that breaks a rule, with `authorization` for a scope
   * or garden that the caller may not read, with `capability_required` and `capability_invalid` without a token that
   * covers the target, with `webhook_url_forbidden` for an address that the node does not call, with
   * `idempotency_mismatch` for a key that was used for something else, and with `limit_reached`.
   */
  create(caller: Principal, request: SubscriptionRequest): Promise<CreatedSubscription>;
  /** Oldest first. */
  list(caller: Principal): Promise<readonly SubscriptionView[]>;
  get(caller: Principal, id: string): Promise<SubscriptionView>;
  /**
   * Gives a subscription another secret, which is shown this once. The former one signs beside it for
   * `overlapSeconds`, 0 to `MAX_OVERLAP_SECONDS` and by default as long as the setting says; 0 ends every former secret
   * at once. Rejects with `conflict` for a subscription that has ended, and with `limit_reached` while as many former
   * secrets sign as may.
   */
  rotateSecret(
    caller: Principal,
    id: string,
    options?: { readonly overlapSeconds?: number | undefined },
  ): Promise<{ readonly subscription: SubscriptionView; readonly secret: string }>;
  /** Ends a subscription and forgets its events. */
  delete(caller: Principal, id: string): Promise<void>;
  /**
   * Events that are kept, oldest first, whatever became of their delivery. Rejects with `event_not_found` for an
   * `afterId` that is not one of them, with `validation` for a limit out of bounds, and with `authentication` when the
   * caller's own key has ended.
   */
  events(caller: Principal, id: string, query: EventQuery): Promise<EventPage>;
  /**
   * Events as they come, after the one that is named, or from now on. Ends after the last event of the subscription,
   * when the caller's key ends, and when `signal` aborts. Rejects as `events` does, with `limit_reached` when the key
   * has as many streams as it may have, and with `unavailable` when the process has. Read it, or abort the signal:
   * until then it holds a place.
   */
  follow(
    caller: Principal,
    id: string,
    from: { readonly afterId?: string | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<StreamStep>>;
}

export const Subscriptions = defineRef<Subscriptions>('subscriptions.subscriptions');
