import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { createServedTenants } from '../../../kernel/tenants/served-tenants.ts';
import { eventOf, type OutboxEvent, rowOfNewEvent } from '../../../plugins/subscriptions/event-row.ts';
import { OutboxStore } from '../../../plugins/subscriptions/outbox-store.ts';
import {
  entityTarget,
  RECORDS,
  rowOfSubscription,
  type Subscription,
} from '../../../plugins/subscriptions/subscription-record.ts';
import { EVENTS, SubscriptionStore, subscriptionIn } from '../../../plugins/subscriptions/subscription-store.ts';
import { subscriptionsPlugin } from '../../../plugins/subscriptions/subscriptions-plugin.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

export const THRESHOLD = 3;
export const TENANT = 'default';

/** The delivery queue on its own store, with a time that the test sets. */
export interface OpenOutbox {
  readonly outbox: OutboxStore;
  readonly subscriptions: SubscriptionStore;
  nowMs: number;
  subscription(): Promise<Subscription>;
  queue(subscription: Subscription): Promise<void>;
  events(subscription: Subscription): Promise<OutboxEvent[]>;
  read(subscription: Subscription): Promise<Subscription>;
  /** Claims every event that is due. */
  claimDue(): Promise<OutboxEvent[]>;
  close(): Promise<void>;
}

export const openOutbox = async (kind: StoreKind): Promise<OpenOutbox> => {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'));
  const place = await placeTestStore(kind, folder);
  const store = place.open();
  await store.migrate(planMigrations(CORE_MIGRATIONS, [subscriptionsPlugin], []));
  const tables = createPluginTables(store, 'subscriptions');
  const random = createSeededRandom();
  const nowMs = () => opened.nowMs;
  const subscriptions = new SubscriptionStore({ tables, random, audit: undefined, nowMs, withdraw: async () => {} });
  const outbox = new OutboxStore({
    tables,
    subscriptions,
    storeTime: async () => opened.nowMs,
    served: createServedTenants(),
    nowMs,
    circuitThreshold: THRESHOLD,
  });
  const opened: OpenOutbox = {
    outbox,
    subscriptions,
    nowMs: Date.UTC(2026, 2, 2, 9),
    async subscription() {
      const record = sampleSubscription(random.uuid(), opened.nowMs);
      await tables.write(TENANT, (into) => into.insertRows(RECORDS, [rowOfSubscription(record)]));
      return record;
    },
    queue: (subscription) => {
      const event = {
        id: random.uuid(),
        type: 'fact_asserted' as const,
        factId: random.uuid(),
        witnesses: [],
        hlc: '1.0',
      };
      const row = rowOfNewEvent({ ...event, createdMs: opened.nowMs }, subscription);
      return tables.write(TENANT, (into) => into.insertRows(EVENTS, [row]));
    },
    events: async ({ id }) => {
      const rows = await tables.read((from) => from.select(EVENTS, { subscription_id: id }));
      return rows.map(eventOf).sort((a, b) => a.seq - b.seq);
    },
    read: async (subscription) => (await tables.read((from) => subscriptionIn(from, subscription))) as Subscription,
    claimDue: async () => outbox.claim(TENANT, await outbox.due(100, [])),
    close: async () => {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return opened;
};

const sampleSubscription = (id: string, createdMs: number): Subscription => ({
  id,
  tenantId: TENANT,
  ownerUri: 'agent:sub',
  holderUri: 'agent:sub',
  keyId: 'key',
  tokenId: 'token',
  target: 'user:a',
  targetType: 'entity',
  targetKey: entityTarget('user:a'),
  eventTypes: null,
  address: 'sealed',
  host: 'hook.example',
  idempotencyKey: null,
  contentDigest: id,
  secret: 'sealed',
  formerSecrets: [],
  status: 'active',
  cancelledReason: null,
  createdMs,
  lastDeliveredMs: null,
  failures: 0,
  probeMs: null,
});
