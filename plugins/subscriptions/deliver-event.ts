import { Webhook } from 'standardwebhooks';
import type { InboundReply } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type FactJson,
  type FactView,
  type Logger,
  type PluginTables,
  type Random,
  ServiceError,
  type ServiceNames,
  type Transport,
} from '../../kernel/plugin-api.ts';
import type { AccessCheck, RightsResult } from './access-check.ts';
import { deliveryJson } from './event-json.ts';
import { type OutboxEvent, subscriptionOfEvent } from './event-row.ts';
import type { Outcome } from './outbox-store.ts';
import { judgeStatus, nextPause } from './retry-plan.ts';
import { formerSecretsAt, type Subscription } from './subscription-record.ts';
import { subscriptionIn } from './subscription-store.ts';
import type { WebhookSeals } from './webhook-seals.ts';

export const WEBHOOK_PORTS: readonly number[] = [443, 8443];
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** The pause after a failure to check the rights. */
const CHECK_AGAIN_MS = 5_000;
/** The pause after a failure to decrypt the secret: only a restart with the node's former key helps. */
const OPEN_AGAIN_MS = 60_000;

export interface DeliverParts {
  readonly tables: PluginTables;
  readonly access: AccessCheck;
  readonly seals: Pick<WebhookSeals, 'open'>;
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly names: ServiceNames;
  readonly factJson: FactJson;
  readonly allowPrivate: boolean;
  readonly replayMs: number;
}

interface Content {
  readonly subscription: Subscription;
  readonly view: FactView;
}

type EventContent =
  | { readonly revoked: true; readonly judged: Subscription }
  | { readonly revoked: false; readonly result: Content | undefined };

/**
 * Makes one attempt: checks all rights on one snapshot, then builds, signs and sends the body. Never rejects. If a
 * check fails with an error, nothing is sent and the attempt does not count.
 */
export const deliverEvent = async (event: OutboxEvent, parts: DeliverParts): Promise<Outcome> => {
  let content: EventContent;
  try {
    content = await contentOf(event, parts);
  } catch (error) {
    parts.log.warn('the rights of a subscription could not be checked; its event waits', {
      subscriptionId: event.subscriptionId,
      error,
    });
    return { kind: 'untried', pauseMs: CHECK_AGAIN_MS };
  }
  if (content.revoked) return { kind: 'revoked', judged: content.judged };
  if (content.result === undefined) return { kind: 'suppressed' };
  return send(event, content.result, parts);
};

const contentOf = (event: OutboxEvent, parts: DeliverParts): Promise<EventContent> =>
  parts.tables.read(async (own, snapshot): Promise<EventContent> => {
    const { access } = parts;
    const subscription = await subscriptionIn(own, subscriptionOfEvent(event));
    if (subscription?.status !== 'active') return { revoked: false, result: undefined };
    const standing = await access.asOwner<Content | undefined>(subscription, snapshot, async (reader) => {
      const found = await access.factOf(event, reader);
      if (found.revoked || found.result === undefined) return found as RightsResult<undefined>;
      const [view] = await reader.annotate([found.result]);
      return { revoked: false, result: view && { subscription, view } };
    });
    return standing.revoked ? { revoked: true, judged: subscription } : standing;
  });

const send = async (event: OutboxEvent, content: Content, parts: DeliverParts): Promise<Outcome> => {
  let request: Parameters<Transport['send']>[0];
  try {
    request = requestOf(event, content, parts);
  } catch (error) {
    const fields = { subscriptionId: event.subscriptionId, error };
    parts.log.error('a webhook could not be signed: was its secret made under another key of the node?', fields);
    return { kind: 'untried', pauseMs: OPEN_AGAIN_MS };
  }
  let reply: InboundReply | undefined;
  try {
    reply = await parts.transport.send(request);
  } catch (error) {
    if (!(error instanceof ServiceError)) parts.log.error('a webhook could not be sent', { error });
  }
  const verdict = reply === undefined ? 'again' : judgeStatus(reply.status);
  if (verdict === 'delivered') return { kind: 'delivered' };
  if (verdict === 'gone') return { kind: 'gone' };
  if (verdict === 'refused') return { kind: 'failed', pauseMs: undefined };
  const pauseMs = nextPause({
    attempts: event.attempts,
    retryAfter: reply?.header('retry-after'),
    fraction: parts.random.fraction(),
    nowMs: parts.clock.nowMs(),
    endMs: event.createdMs + parts.replayMs,
  });
  return { kind: 'failed', pauseMs };
};

const requestOf = (event: OutboxEvent, { subscription, view }: Content, parts: DeliverParts) => {
  const body = JSON.stringify(deliveryJson(event, view, parts.factJson));
  const at = new Date(parts.clock.nowMs());
  const formerSecrets = formerSecretsAt(subscription, at.getTime());
  const { url, secrets } = parts.seals.open({ ...subscription, formerSecrets });
  const signatures = secrets.map((secret) => new Webhook(secret).sign(event.id, at, body));
  return {
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
      [parts.names.headers.eventId]: event.id,
    },
    body,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_ANSWER_BYTES,
    purpose: 'webhook' as const,
    excess: 'cut' as const,
    allowPrivate: parts.allowPrivate,
    ports: WEBHOOK_PORTS,
  };
};
