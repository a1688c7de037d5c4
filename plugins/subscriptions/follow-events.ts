import type { Principal, ServedTenants } from '../../kernel/plugin-api.ts';
import { positionOf, type ReadEventsParts, readEvents } from './read-events.ts';
import type { StreamSlots } from './stream-slots.ts';
import type { StreamStep } from './subscriptions-api.ts';
import type { WakeUps } from './wake-ups.ts';

export interface FollowParts extends ReadEventsParts {
  readonly wakeUps: WakeUps;
  readonly slots: StreamSlots;
  readonly served: Pick<ServedTenants, 'isServed'>;
}

/** A sign of life for proxies, and a look for what no signal told of. */
export const HEARTBEAT_MS = 15_000;
const EVENTS_AT_ONCE = 50;

/**
 * Events as `Subscriptions.follow` says. Each passes the checks of a delivery when it is yielded; the stream ends after
 * the terminal event, and without one when the key that opened it is no longer good or its tenant
 * rests.
 */
export const followEvents = async (
  caller: Principal,
  id: string,
  { afterId, signal }: { readonly afterId?: string | undefined; readonly signal: AbortSignal },
  parts: FollowParts,
): Promise<AsyncIterable<StreamStep>> => {
  const giveBack = parts.slots.take(caller, signal);
  try {
    const afterSeq = await positionOf(id, caller, afterId, parts);
    return stepsOf({ id, caller, afterSeq, signal }, parts, giveBack);
  } catch (error) {
    giveBack();
    throw error;
  }
};

interface Stream {
  readonly id: string;
  readonly caller: Principal;
  readonly afterSeq: number;
  readonly signal: AbortSignal;
}

const stepsOf = (
  { id, caller, afterSeq, signal }: Stream,
  parts: FollowParts,
  closed: () => void,
): AsyncIterable<StreamStep> => {
  const awaken = parts.wakeUps.open(id);
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    awaken.close();
    closed();
  };
  // A client that is gone before anything is read of its stream never asks for its end either.
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  async function* steps(): AsyncGenerator<StreamStep> {
    let position = afterSeq;
    try {
      yield 'open';
      while (!isOver && parts.served.isServed(caller.tenantId)) {
        const page = await readEvents(id, caller, { afterSeq: position }, EVENTS_AT_ONCE, parts);
        if (page === undefined) return;
        for (const shown of page.shown.slice(0, EVENTS_AT_ONCE)) {
          position = shown.event.seq;
          yield shown;
        }
        if (page.more || page.shown.length > EVENTS_AT_ONCE) continue;
        if (page.subscription.status === 'cancelled') return;
        if (isOver || (await awaken.next(HEARTBEAT_MS)) === 'event') continue;
        yield 'waiting';
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
        // A generator that was never begun ends without its `finally`, and one that waits for news ends only after
        // them.
        return: () => {
          end();
          return pieces.return(undefined);
        },
      };
    },
  };
};
