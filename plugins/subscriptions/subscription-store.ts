import {
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Random,
  type ReadableTables,
  ServiceError,
  type SqlValue,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { type NewEvent, rowOfNewEvent } from './event-row.ts';
import { refuseBeyondLimits } from './subscription-limits.ts';
import {
  type CancelReason,
  RECORDS,
  REVOKED_EVENT,
  rowOfSubscription,
  type Subscription,
  subscriptionOf,
} from './subscription-record.ts';
import { SUBSCRIPTION_CANCELLED } from './subscriptions-words.ts';

export const EVENTS = 'subscriptions_events';
/** The signal of each commit that queued events or ended a subscription. */
export const WORK = 'work';

export interface SubscriptionStoreParts {
  readonly tables: PluginTables;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
  nowMs(): number;
  /** Writes the id of a subscription down beside the store, so that a restore does not bring it back. */
  withdraw(subscriptionId: string): Promise<void>;
}

/** The rights behind a request to subscribe, checked in the transaction that stores the subscription. */
export interface Rights {
  /** Throws if the rights no longer exist. */
  confirm(transaction: PluginTransaction): Promise<void>;
  /** Returns the key that an existing subscription uses from now on. */
  keyFor(subscription: Subscription, transaction: PluginTransaction): Promise<string | null>;
}

/** Stores subscriptions. Each change is a write of their tenant. */
export class SubscriptionStore {
  readonly #parts: SubscriptionStoreParts;

  constructor(parts: SubscriptionStoreParts) {
    this.#parts = parts;
  }

  in(snapshot: PluginSnapshot): ReadableTables {
    return this.#parts.tables.in(snapshot);
  }

  async get(key: SubscriptionKey, snapshot: PluginSnapshot): Promise<Subscription | undefined> {
    return subscriptionIn(this.in(snapshot), key);
  }

  /** Returns the owner's subscriptions, oldest first. */
  async ownedBy(tenantId: string, ownerUri: string, snapshot: PluginSnapshot): Promise<Subscription[]> {
    const own = this.in(snapshot);
    const rows: Record<string, SqlValue>[] = await own(RECORDS)
      .where({ tenant_id: tenantId, owner_uri: ownerUri })
      .orderBy(['created_ms', 'subscription_id']);
    return own.parse(rows, subscriptionOf);
  }

  /**
   * Stores the record, unless the owner made the same request before, under one of `digests`. Returns the new or
   * existing record, which uses the rights of this request from now on. Rejects with `limit_reached` if the owner has
   * too many.
   */
  create(
    record: Subscription,
    digests: readonly string[],
    rights: Rights,
  ): Promise<{ readonly record: Subscription; readonly isNew: boolean }> {
    return this.#parts.tables.write(record.tenantId, async (own, transaction) => {
      await rights.confirm(transaction);
      const same = await sameAs(own, record, digests);
      if (same === undefined) {
        await refuseBeyondLimits(record, (where) => countOf(own, where));
        await own.insertRows(RECORDS, [rowOfSubscription(record)]);
        return { record, isNew: true };
      }
      if (same.status !== 'active') return { record: same, isNew: false };
      const renewed = { ...same, tokenId: record.tokenId, keyId: await rights.keyFor(same, transaction) };
      await own(RECORDS).where(whereOf(same)).update({ token_id: renewed.tokenId, key_id: renewed.keyId });
      return { record: renewed, isNew: false };
    });
  }

  /**
   * Deletes a subscription. Its events are never shown or sent again, and are deleted later with others of their age.
   */
  async remove(record: SubscriptionKey): Promise<void> {
    // Comes first, because the deletion leaves no row to find it by.
    await this.#parts.withdraw(record.id);
    await this.#parts.tables.write(record.tenantId, async (own) => {
      await own(RECORDS).where(whereOf(record)).delete();
      await dropPending(own, record);
      own.signal(WORK);
    });
  }

  /** Moves the subscriptions of a key to the key that replaces it. */
  async replaceKey(tenantId: string, formerId: string, id: string, transaction: PluginTransaction): Promise<void> {
    const own = this.#parts.tables.in(transaction);
    await own(RECORDS).where({ tenant_id: tenantId, key_id: formerId }).update({ key_id: id });
  }

  /** Ends a subscription whose rights no longer exist. */
  revoke(judged: Subscription): Promise<void> {
    return this.#parts.tables.write(judged.tenantId, (own, transaction) => this.revokeIn(own, transaction, judged));
  }

  async revokeIn(own: WritableTables, transaction: PluginTransaction, judged: Subscription): Promise<void> {
    const record = await subscriptionIn(own, judged);
    // The owner may have requested the subscription again meanwhile, with rights that were not checked yet.
    if (record?.keyId !== judged.keyId || record.tokenId !== judged.tokenId) return;
    await this.cancelIn(own, transaction, judged, 'access_revoked');
  }

  /** Ends a subscription and drops its pending events. A repeated call does not change the first reason. */
  async cancelIn(
    own: WritableTables,
    transaction: PluginTransaction,
    key: SubscriptionKey,
    reason: CancelReason,
  ): Promise<void> {
    const record = await subscriptionIn(own, key);
    if (record === undefined || record.status !== 'active') return;
    await own(RECORDS)
      .where(whereOf(record))
      .update({ status: 'cancelled', cancelled_reason: reason, match_key: null, probe_ms: null });
    await dropPending(own, record);
    own.signal(WORK);
    if (reason !== 'access_revoked') return;
    const { random, audit, nowMs } = this.#parts;
    const event: NewEvent = {
      id: random.uuid(),
      type: REVOKED_EVENT,
      factId: null,
      witnesses: [],
      hlc: null,
      createdMs: nowMs(),
    };
    await own.insertRows(EVENTS, [rowOfNewEvent(event, record)]);
    await audit?.record(
      {
        event: SUBSCRIPTION_CANCELLED,
        tenantId: record.tenantId,
        entityUri: record.ownerUri,
        detail: { subscription_id: record.id, target_type: record.targetType },
      },
      transaction,
    );
  }
}

export type SubscriptionKey = Pick<Subscription, 'tenantId' | 'id'>;

export const whereOf = ({ tenantId, id }: SubscriptionKey) => ({ tenant_id: tenantId, subscription_id: id });

export const subscriptionIn = async (own: ReadableTables, key: SubscriptionKey): Promise<Subscription | undefined> => {
  const [row] = await own.select(RECORDS, whereOf(key));
  return own.parseOne(row, subscriptionOf);
};

const countOf = async (own: ReadableTables, where: Readonly<Record<string, string>>): Promise<number> => {
  const [row] = (await own(RECORDS).where(where).count({ n: '*' })) as { n: number | string }[];
  return Number(row?.n ?? 0);
};

/** Drops pending events. Also changes the fence of claims, so that reports of running deliveries are ignored. */
const dropPending = async (own: WritableTables, key: SubscriptionKey): Promise<void> => {
  await own(EVENTS)
    .where(whereOf(key))
    .whereNotNull('due_ms')
    .increment('fence', 1)
    .update({ status: 'dropped', due_ms: null });
};

/** Returns the subscription with the owner's idempotency key; without a key, an active one with the same content. */
const sameAs = async (
  own: ReadableTables,
  record: Subscription,
  digests: readonly string[],
): Promise<Subscription | undefined> => {
  const { tenantId, ownerUri, idempotencyKey, eventTypes } = record;
  const mine = own(RECORDS).where({ tenant_id: tenantId, owner_uri: ownerUri }).limit(1);
  if (idempotencyKey === null) mine.where({ status: 'active' }).whereIn('content_digest', digests);
  else mine.where({ idempotency_key: own.hide(tenantId, RECORDS, 'idempotency_key', idempotencyKey) });
  const [row] = (await mine) as Record<string, SqlValue>[];
  const same = own.parseOne(row, subscriptionOf);
  if (same === undefined) return undefined;
  const isSame = digests.includes(same.contentDigest) && String(same.eventTypes) === String(eventTypes);
  if (idempotencyKey === null || isSame) return same;
  throw new ServiceError('idempotency_mismatch', 'the idempotency_key was used for another subscription', {
    hint: 'send the same request again, or take another key',
  });
};
