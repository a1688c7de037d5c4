import { type Clock, type FactJson, type Principal, type Route, schema } from '../../kernel/plugin-api.ts';
import { deliveryJson } from './event-json.ts';
import { positionOf, type ReadEventsParts, readEvents, type ShownEvent } from './read-events.ts';
import { StreamSlots } from './stream-slots.ts';
import { type IdParams, idParams } from './subscription-routes.ts';
import type { WakeUps } from './wake-ups.ts';

export interface StreamParts extends ReadEventsParts {
  readonly clock: Clock;
  readonly factJson: FactJson;
  readonly wakeUps: WakeUps;
}

interface Query {
  readonly after?: string;
}

/** A sign of life for proxies, and a look for what no signal told of. */
export const HEARTBEAT_MS = 15_000;
const EVENTS_AT_ONCE = 50;

/**
 * `GET /v1/subscriptions/{id}/stream`: Server-Sent Events. Goes on after `Last-Event-ID` (or `after`); without either
 * it begins with what comes from now on. Each event passes the checks of a delivery when it is sent; the stream ends
 * after the terminal event, and without one when the key that opened it is no longer good.
 */
export const streamRoute = (parts: StreamParts): Route<IdParams, Query> => {
  const slots = new StreamSlots();
  return {
    method: 'GET',
    path: '/v1/subscriptions/:id/stream',
    summary: 'Events of a subscription as they come, as Server-Sent Events',
    access: { permission: 'read' },
    params: idParams,
    query: schema<Query>({ type: 'object', properties: { after: { type: 'string' } } }),
    async handle({ caller, params, query, header, signal }) {
      const giveBack = slots.take(caller, signal);
      try {
        const afterSeq = await positionOf(params.id, caller, header('last-event-id') || query.after, parts);
        const text = framesOf({ id: params.id, caller, afterSeq, signal }, parts, giveBack);
        return { status: 200, headers: { 'X-Accel-Buffering': 'no' }, contentType: 'text/event-stream', text };
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
};

interface Stream {
  readonly id: string;
  readonly caller: Principal;
  readonly afterSeq: number;
  readonly signal: AbortSignal;
}

const framesOf = (
  { id, caller, afterSeq, signal }: Stream,
  parts: StreamParts,
  closed: () => void,
): AsyncIterable<string> => {
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
  async function* frames(): AsyncGenerator<string> {
    let position = afterSeq;
    try {
      yield ': open\n\n';
      while (!isOver) {
        const page = await readEvents(id, caller, { afterSeq: position }, EVENTS_AT_ONCE, parts);
        if (page === undefined) return;
        for (const shown of page.shown.slice(0, EVENTS_AT_ONCE)) {
          position = shown.event.seq;
          yield frameOf(shown, parts.factJson);
        }
        if (page.more || page.shown.length > EVENTS_AT_ONCE) continue;
        if (page.subscription.status === 'cancelled') return;
        if (isOver || (await awaken.next(HEARTBEAT_MS)) === 'event') continue;
        yield ': waiting\n\n';
      }
    } finally {
      end();
    }
  }
  return {
    [Symbol.asyncIterator]: () => {
      const pieces = frames();
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

/** JSON has no line breaks of its own, so that each event is one line of data. */
const frameOf = ({ event, view }: ShownEvent, factJson: FactJson): string => {
  const data =
    view === null
      ? { event_id: event.id, subscription_id: event.subscriptionId, event_type: event.type }
      : deliveryJson(event, view, factJson);
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
};
