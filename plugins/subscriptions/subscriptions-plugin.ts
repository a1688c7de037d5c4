import { join } from 'node:path';
import { defineOwnPlugin, keepWithdrawals, objectSchema, type WithdrawalJournal } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  erasureSweeps,
  FactJson,
  Facts,
  factAppended,
  factCommitted,
  GardenAccess,
  type HookCaller,
  NodeSelf,
  NodeSettings,
  nodeMetadata,
  optional,
  type PluginContext,
  Random,
  type Requires,
  ServedTenants,
  Telemetry,
  Transport,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { CapabilityTokens } from '../capability-tokens/capability-tokens-api.ts';
import { conflictOpened, conflictResolved } from '../conflicts/conflicts-api.ts';
import { KeyRegistry, keyReplaced } from '../keys/keys-api.ts';
import { NodeIdentity } from '../node-info/node-info-api.ts';
import { AccessCheck } from './access-check.ts';
import { deliverEvent } from './deliver-event.ts';
import { DeliveryRunner } from './delivery-runner.ts';
import { measureDeliveries } from './delivery-telemetry.ts';
import { EventOutbox } from './event-outbox.ts';
import { cancellations } from './kept-cancellations.ts';
import { OutboxStore } from './outbox-store.ts';
import { replayRoute } from './replay-route.ts';
import { rotateCommands } from './rotate-command.ts';
import { destroyFormerSecrets, MAX_OVERLAP_SECONDS } from './rotate-secret.ts';
import { type StreamParts, streamRoute } from './stream-route.ts';
import { StreamWaits } from './stream-waits.ts';
import { createSubscriptionJson, SUBSCRIPTION } from './subscription-json.ts';
import { SEALED } from './subscription-record.ts';
import {
  createSubscriptionRoute,
  deleteSubscriptionRoute,
  getSubscriptionRoute,
  listSubscriptionsRoute,
  rotateSecretRoute,
  type SubscriptionRouteParts,
} from './subscription-routes.ts';
import { createSubscriptionService } from './subscription-service.ts';
import { SubscriptionStore, WORK } from './subscription-store.ts';
import { Subscriptions } from './subscriptions-api.ts';
import { subscriptionsContents, subscriptionsMigrations } from './subscriptions-migrations.ts';
import * as words from './subscriptions-words.ts';
import { sweepEvents } from './sweep-events.ts';
import { createWebhookSeals } from './webhook-seals.ts';

interface Settings {
  readonly replaySeconds: number;
  readonly circuitThreshold: number;
  readonly webhookAllowPrivate: boolean;
  readonly secretOverlapSeconds: number;
}

/**
 * The interval in milliseconds at which each process looks for work that no signal announces: ended pauses, expired
 * claims, and events of a crashed process.
 */
const LOOK_INTERVAL_MS = 1_000;
const REMOVAL_INTERVAL_MS = 10_000;
const REMOVED_AT_ONCE = 2_000;
const SECRETS_AT_ONCE = 500;

const CANCELLED: WithdrawalJournal = { file: 'cancelled-subscriptions', withdrawn: 'deleted subscriptions' };

export const subscriptionsPlugin = defineOwnPlugin({
  name: 'subscriptions',
  summary: 'Tells webhooks and streams of facts and conflicts as they change, under the rights of that moment',
  requires: {
    telemetry: Telemetry,
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    factJson: FactJson,
    cursors: Cursors,
    transport: Transport,
    identity: NodeIdentity,
    keys: KeyRegistry,
    tokens: CapabilityTokens,
    served: ServedTenants,
    node: NodeSettings,
    gardens: optional(GardenAccess),
    audit: optional(AuditLog),
  },
  provides: [Subscriptions],
  declares: [...Object.values(words), SUBSCRIPTION],
  config: objectSchema<Settings>({
    replaySeconds: {
      type: 'integer',
      minimum: 1,
      maximum: 2_592_000,
      default: 3_600,
      env: 'SVC_SUBSCRIPTION_REPLAY_S',
      description: 'how long events are kept, delivered and replayed, in seconds',
    },
    circuitThreshold: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 10,
      env: 'SVC_SUBSCRIPTION_CIRCUIT_THRESHOLD',
      description: 'failures in a row after which a webhook is tried once a minute only',
    },
    secretOverlapSeconds: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_OVERLAP_SECONDS,
      default: 86_400,
      env: 'SVC_WEBHOOK_SECRET_OVERLAP_S',
      description: 'how long the secret of a webhook signs beside the one that replaced it, in seconds',
    },
    webhookAllowPrivate: {
      type: 'boolean',
      default: false,
      env: 'SVC_WEBHOOK_ALLOW_PRIVATE',
      description: 'whether webhooks may have plain http, private addresses and any port; for development',
    },
  }),
  commands: [rotateCommands],
  migrations: subscriptionsMigrations,
  contents: subscriptionsContents,
  journals: [CANCELLED],
  sealed: [SEALED],
  setup(context) {
    const { config, use, tables, hooks, log, on, provide, route, every, onSignal, onStop } = context;
    const { facts, clock, random, self, factJson, cursors, transport, identity, keys, tokens, served } = use;
    const { gardens, audit } = use;
    const { replaySeconds, circuitThreshold, webhookAllowPrivate: allowPrivate } = config;
    const replayMs = replaySeconds * 1000;
    const nowMs = () => clock.nowMs();
    const seals = createWebhookSeals(identity, random);
    const access = new AccessCheck({ facts, keys, tokens, isOpen: () => isOpen(hooks) });
    const store = new SubscriptionStore({ tables, random, audit, nowMs, withdraw: (id) => kept.add([id]) });
    const file = join(use.node.dataFolder, CANCELLED.file);
    const kinds = [cancellations(store, tables)];
    const kept = keepWithdrawals(context, { tables, clock, file, kinds });
    const outbox = new OutboxStore({
      tables,
      subscriptions: store,
      storeTime: (snapshot) => snapshot.databaseMs(),
      served,
      nowMs,
      circuitThreshold,
    });
    const parts = { served, tables, access, seals, transport, clock, random, log, names: self.names, factJson };
    on(erasureSweeps, () => [sweepEvents(tables)]);
    const delivered = measureDeliveries(use.telemetry, tables);
    const runner = new DeliveryRunner({
      store: outbox,
      clock,
      log,
      deliver: async (event) => {
        const outcome = await deliverEvent(event, { ...parts, allowPrivate, replayMs });
        delivered(outcome);
        return outcome;
      },
    });
    const streamWaits = new StreamWaits({ tables, clock, log });
    let hasQueued = false;
    const queue = new EventOutbox({
      tables,
      facts,
      random,
      access,
      queued: () => {
        hasQueued = true;
      },
    });
    on(keyReplaced, ({ tenantId, formerId, id, transaction }) => store.replaceKey(tenantId, formerId, id, transaction));
    on(conflictOpened, (change) => queue.notice('conflict_opened', change));
    on(conflictResolved, (change) => queue.notice('conflict_resolved', change));
    // Runs last, so that system facts which may hide these facts are stored already.
    on(factAppended, (batch) => queue.queue(batch), { order: 'last' });
    onSignal(WORK, () => {
      void streamWaits.look();
      runner.lookLater();
    });
    // The process that has queued events delivers them at once, before another process claims them.
    on(factCommitted, () => {
      if (!hasQueued) return;
      hasQueued = false;
      // A commit shows that the node accepts requests.
      runner.begin();
      runner.lookSoon();
    });
    every(LOOK_INTERVAL_MS, () => {
      runner.begin();
      return runner.look();
    });
    every(REMOVAL_INTERVAL_MS, async () => {
      while ((await destroyFormerSecrets(tables, nowMs(), SECRETS_AT_ONCE)) === SECRETS_AT_ONCE);
      while ((await outbox.removeOld(nowMs() - replayMs, REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
    });
    onStop(() => runner.stop());
    onStop(() => streamWaits.close());
    const reading = { tables, facts, access, store, nowMs, replayMs };
    const asking = { self, gardens, tokens, allowPrivate, streamWaits };
    const rotating = { audit, overlapSeconds: config.secretOverlapSeconds };
    const subscriptions = createSubscriptionService({ ...parts, ...reading, ...asking, ...rotating });
    provide(Subscriptions, subscriptions);
    const json = createSubscriptionJson(replaySeconds);
    addRoutes(route, { subscriptions, json, names: self.names, clock, cursors, factJson, replayMs });
  },
});

/** Returns true if the node serves callers without a key, according to its metadata. */
const isOpen = async (hooks: HookCaller): Promise<boolean> => {
  const said = await hooks.collect(nodeMetadata, {});
  return said.reduce<unknown>((auth, members) => members['auth'] ?? auth, 'required') === 'none';
};

const addRoutes = (
  route: PluginContext<Requires, Settings>['route'],
  parts: SubscriptionRouteParts & StreamParts & Parameters<typeof replayRoute>[0],
): void => {
  route(createSubscriptionRoute(parts));
  route(listSubscriptionsRoute(parts));
  route(getSubscriptionRoute(parts));
  route(rotateSecretRoute(parts));
  route(deleteSubscriptionRoute(parts));
  route(replayRoute(parts));
  route(streamRoute(parts));
};
