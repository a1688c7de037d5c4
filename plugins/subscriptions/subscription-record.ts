import { numberOrNull, textOrNull } from '../../kernel/internal-api.ts';
import {
  openJson,
  type Principal,
  type Row,
  type SealedColumns,
  type SqlValue,
  sealJson,
} from '../../kernel/plugin-api.ts';
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

export const rowOfSubscription = (record: Subscription): Row => ({
  subscription_id: record.id,
  tenant_id: record.tenantId,
  owner_uri: record.ownerUri,
  holder_uri: record.holderUri,
  key_id: record.keyId,
  token_id: record.tokenId,
  target: record.target,
  target_type: record.targetType,
  target_key: record.targetKey,
  match_key: record.status === 'active' ? record.targetKey : null,
  event_types: record.eventTypes?.join(',') ?? null,
  webhook_url: record.address,
  webhook_host: record.host,
  idempotency_key: record.idempotencyKey,
  content_digest: record.contentDigest,
  secret: record.secret,
  ...formerColumns(record.formerSecrets),
  status: record.status,
  cancelled_reason: record.cancelledReason,
  created_ms: record.createdMs,
  last_delivered_ms: record.lastDeliveredMs,
  failures: record.failures,
  probe_ms: record.probeMs,
});

export const subscriptionOf = (row: Readonly<Record<string, SqlValue>>): Subscription => ({
  id: String(row['subscription_id']),
  tenantId: String(row['tenant_id']),
  ownerUri: String(row['owner_uri']),
  holderUri: String(row['holder_uri']),
  keyId: textOrNull(row['key_id']),
  tokenId: String(row['token_id']),
  target: String(row['target']),
  targetType: row['target_type'] as TargetType,
  targetKey: String(row['target_key']),
  eventTypes: row['event_types'] == null ? null : (String(row['event_types']).split(',') as EventType[]),
  address: String(row['webhook_url']),
  host: String(row['webhook_host']),
  idempotencyKey: textOrNull(row['idempotency_key']),
  contentDigest: String(row['content_digest']),
  secret: String(row['secret']),
  formerSecrets: openJson<readonly FormerSecret[] | null>(SEALED, row, 'former_secrets') ?? [],
  status: row['status'] === 'active' ? 'active' : 'cancelled',
  cancelledReason: textOrNull(row['cancelled_reason']) as CancelReason | null,
  createdMs: Number(row['created_ms']),
  lastDeliveredMs: numberOrNull(row['last_delivered_ms']),
  failures: Number(row['failures']),
  probeMs: numberOrNull(row['probe_ms']),
});

/**
 * Returns the columns of the former secrets that still sign; the second column is the earliest end of their overlap.
 */
export const formerColumns = (former: readonly FormerSecret[]): Row => ({
  former_secrets: former.length === 0 ? null : sealJson(former),
  former_until_ms: former.length === 0 ? null : Math.min(...former.map(({ untilMs }) => untilMs)),
});

export const formerSecretsAt = ({ formerSecrets }: Pick<Subscription, 'formerSecrets'>, nowMs: number) =>
  formerSecrets.filter(({ untilMs }) => untilMs > nowMs);

export const hostOf = (url: string): string => new URL(url).host;
