import {
  DEFAULT_TENANT,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type ServedTenants,
  type SqlValue,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { eventOf, type OutboxEvent, subscriptionOfEvent } from './event-row.ts';
import { FARTHEST_MS, removeOldEvents } from './old-events.ts';
import { RECORDS, type Subscription, subscriptionOf } from './subscription-record.ts';
import { EVENTS, type SubscriptionKey, type SubscriptionStore, subscriptionIn, whereOf } from './subscription-store.ts';

/** The duration of a claim. */
export const LEASE_MS = 20_000;
/** The pause between two test deliveries of a subscription whose webhook keeps failing. */
export const PROBE_INTERVAL_MS = 60_000;

export interface OutboxStoreParts {
  readonly tables: PluginTables;
  readonly subscriptions: SubscriptionStore;
  /** Returns milliseconds since the epoch, by the clock that all processes on the store share. */
  readonly storeTime: (snapshot: PluginSnapshot) => Promise<number>;
  /** The tenants in service. Deliveries of suspended tenants are postponed. */
  readonly served: Pick<ServedTenants, 'resting'>;
  /** Returns the time by the node's own clock, which replay windows follow. */
  nowMs(): number;
  readonly circuitThreshold: number;
}

/** The outcome of a claimed event. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly pauseMs: number | undefined }
  /** The address no longer exists; this ends the subscription. */
  | { readonly kind: 'gone' }
  /** A right no longer exists; this ends the subscription. Nothing was sent. */
  | { readonly kind: 'revoked'; readonly judged: Subscription }
  /** The event must not be shown. Nothing was sent. */
  | { readonly kind: 'suppressed' }
  /** Nothing was tried. Any process may try after the pause. */
  | { readonly kind: 'untried'; readonly pauseMs: number };

/** The entity whose limits include a subscription. */
export type Holder = Pick<Subscription, 'tenantId' | 'holderUri'>;

export interface ClaimedEvent extends OutboxEvent {
  readonly holder: Holder;
}

export interface Report {
  readonly event: OutboxEvent;
  readonly outcome: Outcome;
}

/**
 * Stores the queue of deliveries. A claim and a report are each a write for the tenant, and all processes take turns
 * with these writes. A claim expires by the store's clock. Only its last holder, identified by its fence, may report.
 */
export class OutboxStore {
  readonly #parts: OutboxStoreParts;

  constructor(parts: OutboxStoreParts) {
    this.#parts = parts;
  }

  /** Returns the events that could be claimed now, oldest first, without those of the given hosts and holders. */
  due(limit: number, busyHosts: readonly string[], busyHolders: readonly Holder[] = []): Promise<OutboxEvent[]> {
    const { tables, storeTime, served } = this.#parts;
    return tables.read(async (own, snapshot) => {
      const nowMs = await storeTime(snapshot);
      const hosts = busyHosts.length === 0 ? [] : await storedHosts(own, busyHosts, nowMs);
      const found = async (range: (query: Query) => Query, count: number): Promise<Record<string, SqlValue>[]> => {
        const query = range(own(EVENTS))
          .whereNotIn('tenant_id', [...served.resting])
          .orderBy(['due_ms', 'seq'])
          .limit(count);
        if (hosts.length > 0) query.whereNotIn('host', hosts);
        for (const { tenantId, holderUri } of busyHolders) {
          const held = own(RECORDS).where({ tenant_id: tenantId, holder_uri: holderUri }).whereNotNull('match_key');
          query.whereNotIn('subscription_id', held.select('subscription_id'));
        }
        return query;
      };
      // Two queries, because each is one range of the index.
      const due = await found((query) => query.where('due_ms', '<=', nowMs), limit);
      const left = limit - due.length;
      if (left > 0) due.push(...(await found((query) => query.where('due_ms', '>', nowMs + FARTHEST_MS), left)));
      return due.map(eventOf);
    });
  }

  /**
   * Claims the events of one tenant that no other process has claimed since they were read. For a subscription whose
   * circuit breaker is open, it claims one event per test delivery.
   */
  claim(tenantId: string, seen: readonly OutboxEvent[]): Promise<ClaimedEvent[]> {
    const { tables, storeTime } = this.#parts;
    return tables.write(tenantId, async (own, transaction) => {
      const nowMs = await storeTime(transaction);
      const events = await stillAs(own, tenantId, seen, (event) => isDue(event.dueMs, nowMs));
      const records = await recordsOf(own, tenantId, events);
      const taken: ClaimedEvent[] = [];
      for (const event of events) {
        const record = records.get(event.subscriptionId);
        if (record === undefined || !(await mayTry(own, record, nowMs))) continue;
        taken.push({ ...event, holder: { tenantId, holderUri: record.holderUri } });
      }
      if (taken.length === 0) return [];
      await own(EVENTS)
        .where('tenant_id', tenantId)
        .whereIn(
          'seq',
          taken.map(({ seq }) => seq),
        )
        .increment({ fence: 1, attempts: 1 })
        .update({ status: 'delivering', due_ms: nowMs + LEASE_MS });
      return taken.map((event) => ({
        ...event,
        status: 'delivering',
        fence: event.fence + 1,
        attempts: event.attempts + 1,
        dueMs: nowMs + LEASE_MS,
      }));
    });
  }

  /** Records the outcomes of claims of one tenant. Skips claims that another process has taken over. */
  settle(tenantId: string, reports: readonly Report[]): Promise<void> {
    const { tables, storeTime } = this.#parts;
    return tables.write(tenantId, async (own, transaction) => {
      const nowMs = await storeTime(transaction);
      const held = await stillAs(
        own,
        tenantId,
        reports.map(({ event }) => event),
        ({ status }) => status === 'delivering',
      );
      const ids = new Set(held.map(({ id }) => id));
      const counted = reports.filter(({ event }) => ids.has(event.id));
      await this.#delivered(
        own,
        tenantId,
        counted.filter(({ outcome }) => outcome.kind === 'delivered'),
      );
      for (const report of counted) await this.#settleOne(own, transaction, report, nowMs);
    });
  }

  /** Removes events whose replay window has ended, oldest first. Returns their number. */
  removeOld(olderThanMs: number, limit: number): Promise<number> {
    return removeOldEvents(this.#parts, olderThanMs, limit);
  }

  async #delivered(own: WritableTables, tenantId: string, reports: readonly Report[]): Promise<void> {
    if (reports.length === 0) return;
    const nowMs = this.#parts.nowMs();
    await own(EVENTS)
      .where('tenant_id', tenantId)
      .whereIn(
        'seq',
        reports.map(({ event }) => event.seq),
      )
      .update({ status: 'delivered', due_ms: null, delivered_ms: nowMs });
    // A success closes the circuit breaker and releases the queued events.
    const ids = [...new Set(reports.map(({ event }) => event.subscriptionId))];
    const records = await own.select(RECORDS, { tenant_id: tenantId, subscription_id: ids });
    await own(RECORDS)
      .where('tenant_id', tenantId)
      .whereIn('subscription_id', ids)
      .update({ last_delivered_ms: nowMs, failures: 0, probe_ms: null });
    for (const record of own.parse(records, subscriptionOf)) {
      const { probeMs } = record;
      if (probeMs !== null) await waitingOf(own, record).where('due_ms', '<=', probeMs).update({ due_ms: 0 });
    }
  }

  async #settleOne(
    own: WritableTables,
    transaction: PluginTransaction,
    { event, outcome }: Report,
    nowMs: number,
  ): Promise<void> {
    const { subscriptions } = this.#parts;
    // Checks the claim again, because another report of the same batch may have ended the subscription.
    const row = () => own(EVENTS).where({ tenant_id: event.tenantId, seq: event.seq, fence: event.fence });
    switch (outcome.kind) {
      case 'delivered':
        return;
      case 'revoked':
        // Releases the claim first, because the event ends with the subscription, or is retried if the subscription
        // continues.
        await row().increment('attempts', -1).update({ status: 'pending', due_ms: nowMs });
        return subscriptions.revokeIn(own, transaction, outcome.judged);
      case 'gone':
        await row().update({ status: 'failed', due_ms: null });
        return subscriptions.cancelIn(own, transaction, subscriptionOfEvent(event), 'endpoint_gone');
      case 'suppressed':
        await row().update({ status: 'dropped', due_ms: null });
        return;
      case 'untried':
        await row()
          .increment('attempts', -1)
          .update({ status: 'pending', due_ms: nowMs + outcome.pauseMs });
        return;
      case 'failed': {
        const pause = outcome.pauseMs;
        if (pause === undefined) await row().update({ status: 'failed', due_ms: null });
        else await row().update({ status: 'pending', due_ms: nowMs + pause });
        await this.#countFailure(own, subscriptionOfEvent(event), nowMs);
      }
    }
  }

  async #countFailure(own: WritableTables, key: SubscriptionKey, nowMs: number): Promise<void> {
    await own(RECORDS).where(whereOf(key)).increment('failures', 1);
    const record = await subscriptionIn(own, key);
    if (record === undefined) return;
    const { failures, probeMs } = record;
    if (failures >= this.#parts.circuitThreshold && probeMs === null) await rest(own, key, nowMs + PROBE_INTERVAL_MS);
  }
}

type Query = ReturnType<ReadableTables>;

const isDue = (dueMs: number | null, nowMs: number): boolean =>
  dueMs !== null && (dueMs <= nowMs || dueMs > nowMs + FARTHEST_MS);

/** Returns true if an attempt may be made. A test delivery postpones the next one, and all queued events with it. */
const mayTry = async (own: WritableTables, record: Subscription, nowMs: number): Promise<boolean> => {
  if (record.status !== 'active') return false;
  if (record.probeMs === null) return true;
  const nextMs = (await subscriptionIn(own, record))?.probeMs ?? 0;
  const mayProbe = isDue(nextMs, nowMs);
  await rest(own, record, mayProbe ? nowMs + PROBE_INTERVAL_MS : nextMs);
  return mayProbe;
};

/**
 * Postpones the next test delivery and all queued events, because reading each event every second would cost too much.
 */
const rest = async (own: WritableTables, key: SubscriptionKey, untilMs: number): Promise<void> => {
  await own(RECORDS).where(whereOf(key)).update({ probe_ms: untilMs });
  await waitingOf(own, key)
    .where((row) => row.where('due_ms', '<', untilMs).orWhere('due_ms', '>', untilMs + FARTHEST_MS))
    .update({ due_ms: untilMs });
};

const waitingOf = (own: WritableTables, key: SubscriptionKey) =>
  own(EVENTS).where({ ...whereOf(key), status: 'pending' });

/** Returns the events that have not changed since they were read. */
const stillAs = async (
  own: ReadableTables,
  tenantId: string,
  seen: readonly OutboxEvent[],
  holds: (event: OutboxEvent) => boolean,
): Promise<OutboxEvent[]> => {
  if (seen.length === 0) return [];
  const fences = new Map(seen.map(({ seq, fence }) => [seq, fence]));
  const rows = await own.select(EVENTS, { tenant_id: tenantId, seq: [...fences.keys()] });
  const events = rows.map(eventOf).filter((event) => fences.get(event.seq) === event.fence && holds(event));
  return events.sort((a, b) => a.seq - b.seq);
};

const recordsOf = async (
  own: ReadableTables,
  tenantId: string,
  events: readonly OutboxEvent[],
): Promise<Map<string, Subscription>> => {
  const ids = [...new Set(events.map(({ subscriptionId }) => subscriptionId))];
  if (ids.length === 0) return new Map();
  const rows = await own.select(RECORDS, { tenant_id: tenantId, subscription_id: ids });
  return new Map(own.parse(rows, subscriptionOf).map((record) => [record.id, record]));
};

/** Returns the hosts in the forms in which the tenants with due events store them. */
const storedHosts = async (own: ReadableTables, hosts: readonly string[], nowMs: number): Promise<string[]> => {
  if (own.hide(DEFAULT_TENANT, EVENTS, 'host', '') === '') return [...hosts];
  const due: { tenant_id: string }[] = await own(EVENTS)
    .where('due_ms', '<=', nowMs)
    .orWhere('due_ms', '>', nowMs + FARTHEST_MS)
    .distinct('tenant_id');
  return due.flatMap(({ tenant_id }) => hosts.map((host) => own.hide(tenant_id, EVENTS, 'host', host)));
};
