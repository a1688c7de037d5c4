import type { Fact, Subscription } from './api-types.ts';
import { ConnectionError, FactMemoryError, InvalidReplyError, NotFoundError } from './client-errors.ts';
import type { Connection } from './connection.ts';
import { pause } from './platform.ts';
import { readEvents, type StreamPart } from './read-events.ts';
import { delayBefore, isUnavailable } from './retry-plan.ts';

/** An event of a subscription. */
export interface SubscriptionEvent {
  readonly event_id: string;
  readonly subscription_id: string;
  readonly event_type:
    | 'fact_asserted'
    | 'fact_retracted'
    | 'conflict_opened'
    | 'conflict_resolved'
    | 'subscription_cancelled_access_revoked';
  readonly fact_id?: string | null;
  readonly hlc?: string | null;
  readonly entity?: string;
  readonly scope?: string;
  /** The fact as the subscriber sees it now. */
  readonly fact?: Fact;
  readonly idempotency_key?: string;
}

export interface FollowOptions {
  /** The id of the last handled event. Without it the stream begins with new events. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The number of failed connections in a row after which the last error is thrown. Default: 10. */
  readonly reconnects?: number | undefined;
}

/** The silence after which a connection counts as broken: three missed heartbeats of the node. */
const SILENCE_MS = 45_000;
const RECONNECTS = 10;
const ROUTE = 'GET /v1/subscriptions/{id}/stream';
const LAST_EVENT = 'subscription_cancelled_access_revoked';

/**
 * Yields new events of a subscription, each at least once. A connection that breaks or falls silent is reopened after
 * the last handled event. Ends when the subscription is cancelled. Rejects when the node refuses it: with
 * `event_not_found` when the node has dropped the last event, so that some were missed.
 */
export async function* followEvents(
  connection: Connection,
  id: string,
  { after, signal, reconnects = RECONNECTS }: FollowOptions = {},
): AsyncGenerator<SubscriptionEvent, void, undefined> {
  let last = after;
  let failures = 0;
  let wasOpen = false;
  for (;;) {
    try {
      let isNew = true;
      for await (const part of openStream(connection, { id, after: last, signal })) {
        if (typeof part === 'object' && 'mark' in part) {
          last = part.mark;
          continue;
        }
        // Ignores the first comment, which confirms the connection but does not prove that events follow.
        if (part !== 'comment' || !isNew) failures = 0;
        isNew = false;
        wasOpen = true;
        if (part === 'comment') continue;
        const event = parseEvent(part.data);
        yield event;
        last = part.id;
        if (event.event_type === LAST_EVENT) return;
      }
      if (await isCancelled(connection, id, signal)) return;
    } catch (error) {
      if (wasOpen && isGone(error)) return;
      if (!canGoOn(error) || failures >= reconnects) throw error;
    }
    failures += 1;
    const { platform } = connection;
    await pause(platform, delayBefore(Math.min(failures, 6) - 1, undefined, platform.random()), signal);
  }
}

/** Returns whether to reconnect: after a broken connection, and when the node is busy or restarting. */
const canGoOn = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof FactMemoryError && (error.status === 429 || isUnavailable(error.status)));

/** Returns whether the subscription itself was not found, as opposed to its last event. */
const isGone = (error: unknown): boolean => error instanceof NotFoundError && error.code === 'lookup';

/** Reads one connection until it ends or is silent for too long. */
async function* openStream(
  connection: Connection,
  { id, after, signal }: { readonly id: string } & Pick<FollowOptions, 'after' | 'signal'>,
): AsyncGenerator<StreamPart, void, undefined> {
  const silence = new AbortController();
  const ending = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) };
  const request = { route: ROUTE, params: { id }, headers, signal: ending, retries: 0 };
  const listen = () => connection.platform.schedule(SILENCE_MS, () => silence.abort());
  let cancel = (): void => undefined;
  try {
    const body = await connection.send(request, (response) => response.body);
    if (body === null) return;
    cancel = listen();
    for await (const part of readEvents(body)) {
      cancel();
      yield part;
      cancel = listen();
    }
  } catch (error) {
    if (error instanceof FactMemoryError) throw error;
    signal?.throwIfAborted();
    throw new ConnectionError({
      status: 0,
      code: 'connection',
      detail: 'the stream of events broke off',
      cause: error,
    });
  } finally {
    cancel();
    silence.abort();
  }
}

const isCancelled = async (connection: Connection, id: string, signal: AbortSignal | undefined): Promise<boolean> => {
  const request = { route: 'GET /v1/subscriptions/{id}', params: { id }, signal };
  const record = (await connection.send(request, (response) => response.json())) as Subscription;
  return record.status === 'cancelled';
};

const parseEvent = (text: string): SubscriptionEvent => {
  try {
    return JSON.parse(text) as SubscriptionEvent;
  } catch {
    throw new InvalidReplyError({ status: 200, code: 'invalid_reply', detail: 'an event of the stream is no JSON' });
  }
};
