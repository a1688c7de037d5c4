import { type FactJson, type Route, schema } from '../../kernel/plugin-api.ts';
import { deliveryJson } from './event-json.ts';
import { type IdParams, idParams } from './subscription-routes.ts';
import type { StreamStep, Subscriptions } from './subscriptions-api.ts';

export interface StreamParts {
  readonly subscriptions: Subscriptions;
  readonly factJson: FactJson;
}

interface Query {
  readonly after?: string;
}

/**
 * `GET /v1/subscriptions/{id}/stream` sends Server-Sent Events. It continues after `Last-Event-ID` (or `after`);
 * without either it begins with new events.
 */
export const streamRoute = ({ subscriptions, factJson }: StreamParts): Route<IdParams, Query> => ({
  method: 'GET',
  path: '/v1/subscriptions/:id/stream',
  summary: 'Events of a subscription as they come, as Server-Sent Events',
  access: { permission: 'read' },
  params: idParams,
  query: schema<Query>({ type: 'object', properties: { after: { type: 'string' } } }),
  headers: { 'Last-Event-ID': { summary: 'The last event that the client has; the stream goes on after it' } },
  answers: { 200: { text: ['text/event-stream'] } },
  example: {
    params: { id: '8d3c6a50-91be-4f07-a2d4-5e6b7c8f9012' },
    headers: { 'Last-Event-ID': 'e7a1c0d4-5b62-4f83-9d0e-1c2b3a495867' },
  },
  async handle({ caller, params, query, header, signal }) {
    const afterId = header('last-event-id') || query.after;
    const steps = await subscriptions.follow(caller, params.id, { afterId, signal });
    const text = spelled(steps, (step) => frameOf(step, factJson));
    return { status: 200, headers: { 'X-Accel-Buffering': 'no' }, contentType: 'text/event-stream', text };
  },
});

/**
 * Maps a stream without a generator. A generator that never started would not forward its end, and the stream slot
 * would stay in use.
 */
const spelled = <T>(items: AsyncIterable<T>, spell: (item: T) => string): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = items[Symbol.asyncIterator]();
    const passOn = ({ done, value }: IteratorResult<T>): IteratorResult<string> =>
      done === true ? { done, value: undefined } : { done: false, value: spell(value) };
    return {
      next: async () => passOn(await iterator.next()),
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
  },
});

/** Formats an event as one line of data, because JSON text has no line breaks. */
const frameOf = (step: StreamStep, factJson: FactJson): string => {
  if (typeof step === 'string') return `: ${step}\n\n`;
  const { event, view } = step;
  const data =
    view === null
      ? { event_id: event.id, subscription_id: event.subscriptionId, event_type: event.type }
      : deliveryJson(event, view, factJson);
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
};
