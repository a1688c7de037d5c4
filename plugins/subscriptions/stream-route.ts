import { objectSchema } from '../../kernel/internal-api.ts';
import { type Clock, type FactJson, formatInstant, parseInstant, type Route } from '../../kernel/plugin-api.ts';
import { deliveryJson } from './event-json.ts';
import { type IdParams, idParams } from './subscription-routes.ts';
import type { ShownEvent, Subscriptions } from './subscriptions-api.ts';

/**
 * How far a mark of a stream lies before the read that it follows. An event has the time at which its transaction
 * began, on the clock of its process, and may be committed after a later read.
 */
const MARK_LEAD_MS = 10_000;

export interface StreamParts {
  readonly subscriptions: Subscriptions;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly factJson: FactJson;
  readonly replayMs: number;
}

interface Query {
  readonly after?: string;
}

/**
 * `GET /v1/subscriptions/{id}/stream` sends Server-Sent Events. It continues after `Last-Event-ID` (or `after`), an
 * event or an instant; without either, or after an instant ahead, it begins with new events. A comment carries an
 * instant as its id where the client has no event, or one that the node will soon no longer keep.
 */
export const streamRoute = ({ subscriptions, clock, factJson, replayMs }: StreamParts): Route<IdParams, Query> => ({
  method: 'GET',
  path: '/v1/subscriptions/:id/stream',
  summary: 'Events of a subscription as they come, as Server-Sent Events',
  access: { permission: 'read' },
  params: idParams,
  query: objectSchema<Query>({ after: { type: 'string' } }),
  headers: {
    'Last-Event-ID': { summary: 'The last event that the client has, or an instant; the stream goes on after it' },
  },
  answers: { 200: { text: ['text/event-stream'] } },
  example: {
    params: { id: '8d3c6a50-91be-4f07-a2d4-5e6b7c8f9012' },
    headers: { 'Last-Event-ID': 'e7a1c0d4-5b62-4f83-9d0e-1c2b3a495867' },
  },
  async handle({ caller, params, query, header, signal }) {
    const given = header('last-event-id') || query.after;
    const givenMs = given === undefined ? null : parseInstant(given);
    // A clock was set back, or that of the client is ahead. The stream would be silent until the instant comes.
    const isAhead = givenMs !== null && givenMs > clock.nowMs();
    const after = isAhead ? undefined : given;
    const sinceMs = isAhead ? undefined : (givenMs ?? undefined);
    const afterId = sinceMs === undefined ? after : undefined;
    const steps = await subscriptions.follow(caller, params.id, { afterId, sinceMs, signal });
    let positionMs = after === undefined ? Number.NEGATIVE_INFINITY : (sinceMs ?? clock.nowMs());
    const text = spelled(steps, clock, (step, askedMs) => {
      if (typeof step !== 'string') {
        positionMs = step.event.createdMs;
        return frameOf(step, factJson);
      }
      // Between an earlier position and now there may be events that follow.
      const isBehind = step === 'open' && after !== undefined;
      // An event is an exact position, so a mark replaces it only on the way to the end of the replay window.
      if (isBehind || askedMs - positionMs < replayMs / 2) return `: ${step}\n\n`;
      positionMs = askedMs - MARK_LEAD_MS;
      return `: ${step}\nid: ${formatInstant(positionMs)}\n\n`;
    });
    return { status: 200, headers: { 'X-Accel-Buffering': 'no' }, contentType: 'text/event-stream', text };
  },
});

/**
 * Maps a stream without a generator. A generator that never started would not forward its end, and the stream slot
 * would stay in use. `spell` gets the time at which the step was asked for, before the reads that lead to it.
 */
const spelled = <T>(
  items: AsyncIterable<T>,
  clock: Pick<Clock, 'nowMs'>,
  spell: (item: T, askedMs: number) => string,
): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = items[Symbol.asyncIterator]();
    return {
      next: async () => {
        const askedMs = clock.nowMs();
        const { done, value } = await iterator.next();
        return done === true ? { done, value: undefined } : { done: false, value: spell(value, askedMs) };
      },
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
  },
});

/** Formats an event as one line of data, because JSON text has no line breaks. */
const frameOf = ({ event, view }: ShownEvent, factJson: FactJson): string => {
  const data =
    view === null
      ? { event_id: event.id, subscription_id: event.subscriptionId, event_type: event.type }
      : deliveryJson(event, view, factJson);
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
};
