import type { Principal, ServedTenants } from '../../kernel/plugin-api.ts';
import { eventNotFound } from './event-window.ts';
import { positionOf, type ReadEventsParts, readEvents } from './read-events.ts';
import type { StreamSlots } from './stream-slots.ts';
import type { StreamWaits } from './stream-waits.ts';
import type { StreamStep, Subscriptions } from './subscriptions-api.ts';

export interface FollowParts extends ReadEventsParts {
  readonly streamWaits: StreamWaits;
  readonly slots: StreamSlots;
  readonly served: Pick<ServedTenants, 'isServed'>;
}

/** The interval of heartbeats that keep proxies connected, and of looks for events without a signal. */
export const HEARTBEAT_MS = 15_000;
const EVENTS_AT_ONCE = 50;

/**
 * Implements `Subscriptions.follow`. Checks each event as a delivery does before yielding it. Ends after the terminal
 * event. Ends without it if the key of the stream becomes invalid or its tenant is suspended.
 */
export const followEvents = async (
  caller: Principal,
  id: string,
  { afterId, sinceMs, signal }: Parameters<Subscriptions['follow']>[2],
  parts: FollowParts,
): Promise<AsyncIterable<StreamStep>> => {
  const giveBack = parts.slots.take(caller, signal);
  try {
    const newest = await positionOf(id, caller, afterId, parts);
    if (sinceMs !== undefined && sinceMs < parts.nowMs() - parts.replayMs) throw eventNotFound();
    const afterSeq = sinceMs === undefined ? newest : 0;
    return stepsOf({ id, caller, afterSeq, sinceMs, signal }, parts, giveBack);
  } catch (error) {
    giveBack();
    throw error;
  }
};

interface Stream {
  readonly id: string;
  readonly caller: Principal;
  readonly afterSeq: number;
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
}

const stepsOf = (
  { id, caller, afterSeq, sinceMs, signal }: Stream,
  parts: FollowParts,
  closed: () => void,
): AsyncIterable<StreamStep> => {
  const awaken = parts.streamWaits.open(id);
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    awaken.close();
    closed();
  };
  // A client that disconnects before its stream is read never causes a call of `return`.
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  async function* steps(): AsyncGenerator<StreamStep> {
    let position = afterSeq;
    let beatMs = parts.nowMs() + HEARTBEAT_MS;
    try {
      yield 'open';
      while (!isOver && parts.served.isServed(caller.tenantId)) {
        const page = await readEvents(id, caller, { afterSeq: position, sinceMs }, EVENTS_AT_ONCE, parts);
        if (page === undefined) return;
        for (const shown of page.shown.slice(0, EVENTS_AT_ONCE)) {
          position = shown.event.seq;
          yield shown;
          beatMs = parts.nowMs() + HEARTBEAT_MS;
        }
        if (page.more || page.shown.length > EVENTS_AT_ONCE) continue;
        if (page.subscription.status === 'cancelled') return;
        // An event that this caller may not see delays no heartbeat. The limit also holds if a clock is set back.
        const restMs = Math.min(beatMs - parts.nowMs(), HEARTBEAT_MS);
        if (isOver || (restMs > 0 && (await awaken.next(restMs)) === 'event')) continue;
        yield 'waiting';
        beatMs = parts.nowMs() + HEARTBEAT_MS;
      }
    } finally {
      end();
    }
  }
  return {
    [Symbol.asyncIterator]: () => {
      const pieces = steps();
      return {
        next: () => pieces.next(),
        // Ends the wait here: a generator that never started does not run its `finally`, and one that waits runs it too
        // late.
        return: () => {
          end();
          return pieces.return(undefined);
        },
      };
    },
  };
};
