import { expect } from 'chai';
import {
  AuthenticationError,
  ConnectionError,
  type FactClient,
  InvalidReplyError,
  NotFoundError,
  type SubscriptionEvent,
} from '../../client/client.ts';
import { comesTrue } from '../kit/comes-true.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { ATLAS, type SubscribedNode, startSubscribedNode } from '../plugins/subscriptions/subscribed-node.ts';
import { clientOf } from './loopback-fetch.ts';
import { json, problem, type Scripted, scriptedServer } from './scripted-fetch.ts';

const stream = (...frames: readonly string[]): Response =>
  new Response(`: open\n\n${frames.join('')}`, { headers: { 'content-type': 'text/event-stream' } });

const frame = (id: string, type = 'fact_asserted'): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ event_id: id, event_type: type })}\n\n`;

const active = json(200, { status: 'active' });
const cancelled = json(200, { status: 'cancelled' });

const follow = async (replies: readonly Scripted[], options: { after?: string; reconnects?: number } = {}) => {
  const server = scriptedServer(replies);
  const events: string[] = [];
  const end = (async () => {
    for await (const { event_id: id } of server.client.subscriptions.events('s', options)) events.push(id);
  })();
  const error = await end.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const streams = server.sent.filter(({ url }) => url.endsWith('/stream'));
  return { ...server, events, error, after: streams.map(({ headers }) => headers.get('last-event-id')) };
};

describe('events of a subscription', () => {
  it('continue after the last one when the connection ends', async () => {
    const { events, after, error, sent } = await follow([
      stream(frame('1'), frame('2')),
      active,
      new TypeError('fetch failed'),
      stream(frame('3')),
      cancelled,
    ]);
    expect(events).to.deep.equal(['1', '2', '3']);
    expect(after).to.deep.equal([null, '2', '2']);
    expect(error).to.equal(undefined);
    expect(sent[0]?.headers.get('accept')).to.equal('text/event-stream');
  });

  it('continue at the mark of the stream when the connection ends before the first event', async () => {
    const mark = '2026-03-02T09:00:00.000Z';
    const { events, after } = await follow([
      stream(`: waiting\nid: ${mark}\n\n`),
      active,
      stream(frame('1')),
      cancelled,
    ]);
    expect([events, after]).to.deep.equal([['1'], [null, mark]]);
  });

  it('begin after the event that the caller names, and end with the terminal one', async () => {
    const last = frame('9', 'subscription_cancelled_access_revoked');
    const { events, after } = await follow([stream(last)], { after: '8' });
    expect([events, after]).to.deep.equal([['9'], ['8']]);
  });

  it('end with an error after too many consecutive connections without an event', async () => {
    const { error, sent, pauses } = await follow([new TypeError('fetch failed')], { reconnects: 3 });
    expect(error).to.be.instanceOf(ConnectionError);
    expect(sent).to.have.length(4);
    expect([...pauses]).to.deep.equal([...pauses].sort((one, other) => one - other));
    const open = await follow([stream(), active, stream(), active, problem(503, 'unavailable')], { reconnects: 2 });
    expect(open.error).to.include({ status: 503 });
    const proxied = await follow([problem(502, 'http_error')], { reconnects: 2 });
    expect(proxied.sent).to.have.length(3);
  });

  it('end with the refusal of the node, and are never skipped silently', async () => {
    expect((await follow([problem(401, 'authentication')])).error).to.be.instanceOf(AuthenticationError);
    const gap = await follow([stream(frame('1')), active, problem(404, 'event_not_found')]);
    expect(gap.error).to.be.instanceOf(NotFoundError).and.to.include({ code: 'event_not_found' });
    const broken = await follow([stream('id: 1\ndata: {\n\n')]);
    expect(broken.error).to.be.instanceOf(InvalidReplyError);
  });

  it('end with the reason of the abort signal', async () => {
    const ending = new AbortController();
    const { client } = scriptedServer([stream(frame('1')), active]);
    const events = client.subscriptions.events('s', { signal: ending.signal });
    const reason = new Error('enough');
    const read = async (): Promise<void> => {
      for await (const _ of events) ending.abort(reason);
    };
    expect(await rejection(read())).to.equal(reason);
  });

  it('that are silent for too long continue on a new connection', async () => {
    const silent = { silentAfter: `: open\n\n${frame('1')}` };
    const { events, after } = await follow([silent, stream(frame('2')), cancelled]);
    expect([events, after]).to.deep.equal([
      ['1', '2'],
      [null, '1'],
    ]);
  });
});

forEachStore('events of a subscription, read by a client', () => {
  let subscribed: SubscribedNode;
  let client: FactClient;
  let id: string;

  beforeEach(async () => {
    subscribed = await startSubscribedNode();
    client = clientOf(subscribed.node, { key: subscribed.key });
    const { text } = await subscribed.token(ATLAS);
    const subscription = { target: ATLAS, on_change: 'webhook', webhook_url: 'https://hook.example/in' } as const;
    const created = await client.subscriptions.create(subscription, { capability: text });
    expect(created.secret).to.match(/^whsec_/);
    id = created.id;
  });
  afterEach(() => subscribed.stop());

  it('arrive as they happen, and again from the position of a reader', async () => {
    const seen: SubscriptionEvent[] = [];
    const values = ['a', 'b', 'c'];
    let asserted = 0;
    const sayNext = async (): Promise<void> => {
      await subscribed.assert({ value: { type: 'string', v: values[asserted] } });
      asserted += 1;
    };
    await sayNext();
    const [first] = await client.subscriptions.replay(id).take(1);
    await sayNext();
    for await (const event of client.subscriptions.events(id, { after: first?.id })) {
      seen.push(event);
      if (seen.length === 3) break;
      if (asserted < values.length) await sayNext();
    }
    expect(seen.map(({ event_type: type }) => type))
      .to.include('fact_asserted')
      .and.to.include('conflict_opened');
    const kept = await client.subscriptions.replay(id, { limit: 2 }).take(9);
    expect(kept.map((event) => event.id)).to.include.members(seen.map((event) => event.event_id));
    expect(kept.length).to.be.above(3);
  });

  it('end when the subscription is cancelled', async () => {
    const seen: string[] = [];
    let isOver = false;
    const reading = (async () => {
      for await (const { event_type: type } of client.subscriptions.events(id)) {
        if (seen.push(type) === 1) await client.subscriptions.cancel(id);
      }
    })().finally(() => {
      isOver = true;
    });
    let count = 0;
    await comesTrue(async () => {
      count += 1;
      if (seen.length === 0) await subscribed.assert({ value: { type: 'number', v: count } });
      await subscribed.node.clock.advance(1_000);
      return isOver;
    });
    await reading;
    expect(seen[0]).to.equal('fact_asserted');
    expect(await client.subscriptions.list()).to.deep.equal([]);
    const gone = client.subscriptions.events(id)[Symbol.asyncIterator]();
    expect(await rejection(gone.next())).to.be.instanceOf(NotFoundError);
  });
});
