import { expect } from 'chai';
import { NodeSelf, nodePrincipal, SCOPES } from '../../../kernel/plugin-api.ts';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { HEARTBEAT_MS } from '../../../plugins/subscriptions/follow-events.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode } from './subscribed-node.ts';

const LIMIT_MS = 60_000;

forEachStore('replay and stream of a subscription', () => {
  let subscribed: SubscribedNode;
  beforeEach(async () => {
    subscribed = await startSubscribedNode();
  });
  afterEach(() => subscribed.stop());

  const request: SubscribedNode['node']['request'] = (...call) => subscribed.node.request(...call);
  const say = (n: number) => subscribed.assert({ relation: `memory:n${n}`, value: { type: 'number', v: n } });
  const valuesOf = ({ body }: { body: { events: { payload: { value: { v: unknown } } }[] } }) =>
    body.events.map(({ payload }) => payload.value.v);

  it('return the events after a given event in order, page by page, with their total', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    for (let n = 1; n <= 20; n += 1) await say(n);
    await subscribed.settled();
    const all = await subscribed.replay(body.id);
    expect(all.body.events[0]).to.include({ delivery_status: 'delivered', delivery_attempts: 1, entity_uri: ATLAS });
    expect(all.body.events[0].id).to.equal(all.body.events[0].event_id);
    const fifth = all.body.events[4].event_id;
    const rest = await subscribed.replay(body.id, `?after=${fifth}&limit=10`);
    expect([rest.body.total, valuesOf(rest)]).to.deep.equal([15, Array.from({ length: 10 }, (_, n) => n + 6)]);
    const next = await subscribed.replay(body.id, `?after=${fifth}&limit=10&cursor=${rest.body.cursor}`);
    expect([next.body.cursor, valuesOf(next)]).to.deep.equal([null, [16, 17, 18, 19, 20]]);
    const foreign = await subscribed.subscribe('svc://alpha.example/project/other');
    for (const [id, after] of [
      [body.id, '00000000-0000-4000-8000-000000000000'],
      [foreign.body.id, fifth],
    ]) {
      const reply = await subscribed.replay(id, `?after=${after}`);
      expect([reply.status, reply.body.code]).to.deep.equal([404, 'event_not_found']);
    }
  });

  it('omit events older than the replay window', async () => {
    await subscribed.stop();
    subscribed = await startSubscribedNode({ settings: { subscriptions: { replaySeconds: 60 } } });
    const { body } = await subscribed.subscribe('scope:company');
    await say(1);
    await subscribed.settled();
    const [first] = (await subscribed.replay(body.id)).body.events;
    await subscribed.node.clock.advance(50_000);
    await say(2);
    await subscribed.settled();
    expect((await subscribed.replay(body.id)).body.total).to.equal(2);
    await subscribed.node.clock.advance(20_000);
    const late = await subscribed.replay(body.id, `?after=${first.id}`);
    expect([late.status, late.body.code]).to.deep.equal([404, 'event_not_found']);
    expect(valuesOf(await subscribed.replay(body.id))).to.deep.equal([2]);
  });

  it('stream new events, and those missed since the last received event', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    for (const n of [1, 2]) await say(n);
    const [first] = (await subscribed.replay(body.id)).body.events;
    const frames = await openStream(body.id, { 'Last-Event-ID': first.id });
    expect(await frames.next()).to.deep.include({ event: 'fact_asserted', value: 2 });
    await say(3);
    const third = await frames.next();
    expect(third).to.deep.include({ event: 'fact_asserted', value: 3 });
    expect(third.data.event_id).to.equal(third.id);
    await frames.close();
    const unknown = await request('GET', `/v1/subscriptions/${body.id}/stream`, {
      key: subscribed.key,
      headers: { 'Last-Event-ID': 'nonsense' },
    });
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'event_not_found']);
  });

  it('stream the events since a mark of an earlier stream that had none', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    await say(1);
    await subscribed.settled();
    await subscribed.node.clock.advance(60_000);
    const quiet = await openStream(body.id);
    const { id: mark } = await quiet.comment();
    await quiet.close();
    await say(2);
    await subscribed.node.clock.advance(60_000);
    const frames = await openStream(body.id, { 'Last-Event-ID': String(mark) });
    expect(await frames.next()).to.deep.include({ event: 'fact_asserted', value: 2 });
    await frames.close();
  });

  it('stream the events since an instant in any spelling, and take no other text for one', async () => {
    await subscribed.node.clock.advance(Date.UTC(2026, 2, 31, 23, 59) - subscribed.node.clock.nowMs());
    const { body } = await subscribed.subscribe(ATLAS);
    await subscribed.node.clock.advance(60_000);
    await say(1);
    await subscribed.settled();
    const spellings = [
      '2026-03-31T23:59:60Z',
      '2026-04-01t00:00:00z',
      '2026-04-01T13:59:59.999999999+14:00',
      '2026-03-31T00:01:00-23:59',
    ];
    for (const position of spellings) {
      const frames = await openStream(body.id, { 'Last-Event-ID': position });
      expect(await frames.next(), position).to.deep.include({ value: 1 });
      await frames.close();
    }
    const others = [
      '0000-01-01T00:00:00Z',
      '2026-04-01',
      '2026-04-31T00:00:00Z',
      '10000-01-01T00:00:00Z',
      '1743465600000',
    ];
    for (const position of others) {
      const headers = { 'Last-Event-ID': position };
      const reply = await request('GET', `/v1/subscriptions/${body.id}/stream`, { key: subscribed.key, headers });
      expect([reply.status, reply.body.code], position).to.deep.equal([404, 'event_not_found']);
    }
  });

  it('begin with new events after an instant that has not come, and mark the place', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    await say(1);
    const frames = await openStream(body.id, { 'Last-Event-ID': '9999-12-31T23:59:59.999Z' });
    const { id: mark } = await frames.comment();
    expect(mark).to.match(/^2026-/);
    await say(2);
    expect(await frames.next()).to.deep.include({ value: 2 });
    await frames.close();
  });

  it('replace an old event by a mark, and refuse marks older than the replay window', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    const stream = await openStream(body.id);
    expect((await stream.comment()).id).to.not.equal(undefined);
    await say(1);
    expect(await stream.next()).to.include({ value: 1 });
    const nextMark = async (): Promise<string | undefined> => {
      let isOver = false;
      const waiting = stream.comment().finally(() => {
        isOver = true;
      });
      await waitUntil('the stream gives a sign of life', LIMIT_MS, async () => {
        if (!isOver) await subscribed.node.clock.advance(HEARTBEAT_MS);
        return isOver;
      });
      return (await waiting).id;
    };
    expect(await nextMark(), 'of a stream with a new event').to.equal(undefined);
    await subscribed.node.clock.advance(2_000_000);
    const mark = await nextMark();
    expect(mark, 'of a stream with an old event').to.not.equal(undefined);
    await stream.close();
    await say(2);
    const frames = await openStream(body.id, { 'Last-Event-ID': String(mark) });
    expect((await frames.comment()).id, 'before the events that follow').to.equal(undefined);
    expect(await frames.next()).to.include({ value: 2 });
    await frames.close();
    await subscribed.node.clock.advance(3_700_000);
    const late = await request('GET', `/v1/subscriptions/${body.id}/stream`, {
      key: subscribed.key,
      headers: { 'Last-Event-ID': String(mark) },
    });
    expect([late.status, late.body.code]).to.deep.equal([404, 'event_not_found']);
  });

  it('end the stream with a terminal event when the subscriber loses its access', async () => {
    const token = await subscribed.token(ATLAS);
    const { body } = await request('POST', '/v1/subscriptions', {
      key: subscribed.key,
      headers: { 'X-Svc-Capability': token.text },
      body: { target: ATLAS, on_change: 'webhook', webhook_url: HOOK_URL },
    });
    const frames = await openStream(body.id);
    await say(1);
    expect(await frames.next()).to.deep.include({ value: 1 });
    await request('POST', `/v1/federation/capability-tokens/${token.id}/revoke`, { key: subscribed.admin, body: {} });
    await say(2);
    expect(await frames.next()).to.deep.include({ event: 'subscription_cancelled_access_revoked', value: undefined });
    expect((await frames.next()).event).to.equal('end');
  });

  const openBySecondKey = async (expiresAt?: string) => {
    const { body } = await subscribed.subscribe(ATLAS);
    const rawKey = 'a-second-key-of-the-same-subscriber';
    const { kernel } = subscribed.node;
    const registration = { rawKey, entityUri: 'agent:sub', permissions: ['read'], allowedScopes: SCOPES, expiresAt };
    const operator = nodePrincipal(kernel.get(NodeSelf).names);
    const second = await kernel.get(KeyRegistry).register(operator, registration);
    const frames = await openStream(body.id, {}, rawKey);
    await say(1);
    expect(await frames.next()).to.deep.include({ value: 1 });
    return { id: body.id, frames, keyId: second.id };
  };

  it('end the stream when the key that opened it is revoked, but keep the subscription', async () => {
    const { id, frames, keyId } = await openBySecondKey();
    await request('DELETE', `/v1/auth/keys/${keyId}`, { key: subscribed.admin });
    await say(2);
    expect((await frames.next()).event).to.equal('end');
    expect(valuesOf(await subscribed.replay(id))).to.deep.equal([1, 2]);
  });

  it('send heartbeats at the same times to a key that may not see the events', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    const narrow = await subscribed.node.addKey({ entityUri: 'agent:sub', permissions: ['read'], scopes: ['local'] });
    const { clock } = subscribed.node;
    const beatsInTime = async (meanwhile: () => Promise<unknown>): Promise<void> => {
      const frames = await openStream(body.id, {}, narrow);
      await frames.comment();
      const dueMs = clock.nowMs() + HEARTBEAT_MS;
      let isBeaten = false;
      void frames.comment().then(() => {
        isBeaten = true;
      });
      await clock.advance(HEARTBEAT_MS / 2);
      await meanwhile();
      await clock.advance(dueMs - clock.nowMs());
      await waitUntil('the heartbeat comes', LIMIT_MS, async () => isBeaten);
      await frames.close();
    };
    await beatsInTime(async () => {});
    await beatsInTime(async () => {
      await say(1);
      await subscribed.sent(1);
    });
  });

  it('end the stream when the key that opened it expires', async () => {
    const expiresAt = new Date(subscribed.node.clock.nowMs() + 10_000).toISOString();
    const { frames } = await openBySecondKey(expiresAt);
    await subscribed.node.clock.advance(10_000);
    await say(2);
    expect((await frames.next()).event).to.equal('end');
  });

  it('stream to a caller without a key if the node has authentication disabled', async () => {
    await subscribed.stop();
    subscribed = await startSubscribedNode({ node: { authRequired: false } });
    const token = await subscribed.token(ATLAS, { subject: 'anon:trusted' });
    const { body } = await request('POST', '/v1/subscriptions', {
      headers: { 'X-Svc-Capability': token.text },
      body: { target: ATLAS, on_change: 'webhook', webhook_url: HOOK_URL },
    });
    const frames = await openStream(body.id, {}, null);
    for (const n of [1, 2]) {
      await say(n);
      expect(await frames.next()).to.deep.include({ value: n });
    }
    await frames.close();
  });

  const openStream = async (
    id: string,
    headers: Readonly<Record<string, string>> = {},
    key: string | null = subscribed.key,
  ) => {
    const reply = await subscribed.node.network.deliver(subscribed.node.url, {
      method: 'GET',
      target: `/v1/subscriptions/${id}/stream`,
      headers: [...(key === null ? [] : [['Authorization', `Bearer ${key}`] as const]), ...Object.entries(headers)],
    });
    expect([reply.status, reply.headers['Content-Type']]).to.deep.equal([200, 'text/event-stream']);
    const pieces = (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    return {
      close: async () => void (await pieces.return?.()),
      /** Returns the next comment, with the position that it marks. */
      async comment() {
        const { value } = await pieces.next();
        expect(value).to.match(/^: (?:open|waiting)\n/);
        return { id: /^id: (.+)$/m.exec(value ?? '')?.[1] };
      },
      async next() {
        for (;;) {
          const { value: text, done } = await pieces.next();
          if (done === true) return { event: 'end', id: '', data: undefined, value: undefined };
          if (text.startsWith(':')) continue;
          const lines = Object.fromEntries(
            text
              .trim()
              .split('\n')
              .map((line: string) => line.split(/: (.*)/s)),
          );
          const data = JSON.parse(lines['data']);
          return { event: lines['event'], id: lines['id'], data, value: data.fact?.value.v };
        }
      },
    };
  };
});
