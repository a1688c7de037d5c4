import { numberOrNull, textOrNull } from '../../kernel/internal-api.ts';
import type { Row, SqlValue, StoredFact } from '../../kernel/plugin-api.ts';
import type { EventType, REVOKED_EVENT, Subscription } from './subscription-record.ts';

export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event of one subscription, without content. The fact is read on delivery, with the rights of that moment. */
export interface OutboxEvent {
  /** The number of the event; it ascends in the order of the tenant's commits. */
  readonly seq: number;
  readonly id: string;
  readonly tenantId: string;
  readonly subscriptionId: string;
  readonly type: EventType | typeof REVOKED_EVENT;
  /** The id of the fact; null only for the terminal event. */
  readonly factId: string | null;
  readonly witnesses: readonly string[];
  readonly hlc: string | null;
  readonly host: string;
  readonly createdMs: number;
  readonly status: DeliveryStatus;
  /** The number of claims so far, including the present one. */
  readonly attempts: number;
  readonly dueMs: number | null;
  /** A number that grows with each claim, so that only the last holder may report. */
  readonly fence: number;
  readonly deliveredMs: number | null;
}

export const subscriptionOfEvent = ({ tenantId, subscriptionId: id }: OutboxEvent) => ({ tenantId, id });

export interface NewEvent {
  readonly id: string;
  readonly type: OutboxEvent['type'];
  readonly factId: string | null;
  readonly witnesses: readonly string[];
  readonly hlc: string | null;
  /** The scope and garden of the fact, which never change; absent for the terminal event. */
  readonly place?: Pick<StoredFact, 'scope' | 'gardenId'>;
  readonly createdMs: number;
}

/** A due time before every real one, so that queueing needs no clock. */
const AT_ONCE = 0;

export const rowOfNewEvent = (event: NewEvent, subscription: Subscription): Row => ({
  event_id: event.id,
  tenant_id: subscription.tenantId,
  subscription_id: subscription.id,
  event_type: event.type,
  fact_id: event.factId,
  witnesses: event.witnesses.length === 0 ? null : event.witnesses.join(','),
  hlc: event.hlc,
  scope: event.place?.scope ?? null,
  garden_id: event.place?.gardenId ?? null,
  host: subscription.host,
  created_ms: event.createdMs,
  status: event.factId === null ? 'dropped' : 'pending',
  attempts: 0,
  due_ms: event.factId === null ? null : AT_ONCE,
  fence: 0,
  delivered_ms: null,
});

export const eventOf = (row: Readonly<Record<string, SqlValue>>): OutboxEvent => ({
  seq: Number(row['seq']),
  id: String(row['event_id']),
  tenantId: String(row['tenant_id']),
  subscriptionId: String(row['subscription_id']),
  type: row['event_type'] as OutboxEvent['type'],
  factId: textOrNull(row['fact_id']),
  witnesses: row['witnesses'] == null ? [] : String(row['witnesses']).split(','),
  hlc: textOrNull(row['hlc']),
  host: String(row['host']),
  createdMs: Number(row['created_ms']),
  status: row['status'] as DeliveryStatus,
  attempts: Number(row['attempts']),
  dueMs: numberOrNull(row['due_ms']),
  fence: Number(row['fence']),
  deliveredMs: numberOrNull(row['delivered_ms']),
});
