import { column, defineRow } from '../../kernel/internal-api.ts';
import { openJson, type Principal, type Row, type SealedColumns, sealJson } from '../../kernel/plugin-api.ts';
import type { CapabilityNeed } from '../capability-tokens/capability-tokens-api.ts';

export const RECORDS = 'subscriptions_records';

export const SEALED = {
  table: RECORDS,
  key: ['tenant_id', 'subscription_id'],
  columns: ['former_secrets'],
} as const satisfies SealedColumns;

export const EVENT_TYPES = ['fact_asserted', 'fact_retracted', 'conflict_opened', 'conflict_resolved'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
/** The terminal event of a subscription that lost its rights. Only replays show it; it is never sent. */
export const REVOKED_EVENT = 'subscription_cancelled_access_revoked' as const;

export const TARGET_TYPES = ['entity', 'scope', 'garden'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** The entity, scope or garden that a subscription reports on. */
export interface Target {
  readonly type: TargetType;
  /** The name as shown: a URI, the name of a scope, or the URI of a garden. */
  readonly name: string;
  /** The key that a matching fact must have: see `entityTarget`, `scopeTarget`, `gardenTarget`. */
  readonly key: string;
  /** The capability that the token must cover at every delivery. */
  readonly need: CapabilityNeed;
}

export const entityTarget = (entityKey: string): string => `e:${entityKey}`;
export const scopeTarget = (scope: string): string => `s:${scope}`;
export const gardenTarget = (gardenId: string): string => `g:${gardenId}`;

/** A former secret that still signs deliveries for a limited time, beside the new one. */
export interface FormerSecret {
  /** The encrypted secret. */
  readonly secret: string;
  readonly untilMs: number;
}

/** The reasons why the node ends a subscription. */
export const CANCEL_REASONS = ['access_revoked', 'endpoint_gone'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

export interface Subscription {
  readonly id: string;
  readonly tenantId: string;
  readonly ownerUri: string;
  /** The entity whose limit includes the subscription. For a program of a person, this is the person. */
  readonly holderUri: string;
  readonly keyId: string | null;
  readonly tokenId: string;
  readonly target: string;
  readonly targetType: TargetType;
  readonly targetKey: string;
  /** The event types to report; null for all. */
  readonly eventTypes: readonly EventType[] | null;
  /** The encrypted address. */
  readonly address: string;
  /** The host and port of the address, by which the queue of events is grouped. */
  readonly host: string;
  readonly idempotencyKey: string | null;
  /** A digest that is equal for equal requests with the same key of the node: target, kind and address. */
  readonly contentDigest: string;
  /** The encrypted secret. */
  readonly secret: string;
  /** The former secrets, newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly status: 'active' | 'cancelled';
  readonly cancelledReason: CancelReason | null;
  readonly createdMs: number;
  readonly lastDeliveredMs: number | null;
  /** The number of failed attempts since the last success. */
  readonly failures: number;
  /** The instant of the next test delivery while the circuit breaker is open; otherwise null. */
  readonly probeMs: number | null;
}

export const isOwner = ({ tenantId, ownerUri }: Subscription, caller: Principal): boolean =>
  tenantId === caller.tenantId && ownerUri === caller.entityUri;

export const wantsType = ({ eventTypes }: Subscription, type: EventType): boolean =>
  eventTypes === null || eventTypes.includes(type);

/**
 * Returns the columns of the former secrets that still sign; the second column is the earliest end of their overlap.
 */
export const formerColumns = (former: readonly FormerSecret[]): Row => ({
  former_secrets: former.length === 0 ? null : sealJson(former),
  former_until_ms: former.length === 0 ? null : Math.min(...former.map(({ untilMs }) => untilMs)),
});

const SUBSCRIPTION_ROW = defineRow<Subscription>({
  id: column.text('subscription_id'),
  tenantId: column.text('tenant_id'),
  ownerUri: column.text('owner_uri'),
  holderUri: column.text('holder_uri'),
  keyId: column.textOrNull('key_id'),
  tokenId: column.text('token_id'),
  target: column.text('target'),
  targetType: column.text('target_type'),
  targetKey: column.text('target_key'),
  eventTypes: column.of(
    'event_types',
    (types) => (types == null ? null : (String(types).split(',') as EventType[])),
    (types) => types?.join(',') ?? null,
  ),
  address: column.text('webhook_url'),
  host: column.text('webhook_host'),
  idempotencyKey: column.textOrNull('idempotency_key'),
  contentDigest: column.text('content_digest'),
  secret: column.text('secret'),
  formerSecrets: {
    write: formerColumns,
    read: (row) => openJson<readonly FormerSecret[] | null>(SEALED, row, 'former_secrets') ?? [],
  },
  status: column.of('status', (status) => (status === 'active' ? 'active' : 'cancelled')),
  cancelledReason: column.textOrNull('cancelled_reason'),
  createdMs: column.number('created_ms'),
  lastDeliveredMs: column.numberOrNull('last_delivered_ms'),
  failures: column.number('failures'),
  probeMs: column.numberOrNull('probe_ms'),
});

export const subscriptionOf = SUBSCRIPTION_ROW.fromRow;

export const rowOfSubscription = (record: Subscription): Row => ({
  ...SUBSCRIPTION_ROW.rowOf(record),
  match_key: record.status === 'active' ? record.targetKey : null,
});

export const formerSecretsAt = ({ formerSecrets }: Pick<Subscription, 'formerSecrets'>, nowMs: number) =>
  formerSecrets.filter(({ untilMs }) => untilMs > nowMs);

export const hostOf = (url: string): string => new URL(url).host;
