import { expect } from 'chai';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode, verifySignature } from './subscribed-node.ts';

/** Returns the fact as existing receivers read it, with its value repeated as type and text. */
const asRead = (fact: { readonly value: { readonly type: string; readonly v: unknown } }) => ({
  ...fact,
  value_type: fact.value.type,
  value_v: String(fact.value.v),
});

forEachStore('subscriptions', () => {
  let subscribed: SubscribedNode;
  beforeEach(async () => {
    subscribed = await startSubscribedNode();
  });
  afterEach(() => subscribed.stop());

  const request: SubscribedNode['node']['request'] = (...call) => subscribed.node.request(...call);

  it('are created with a secret that is shown only once', async () => {
    const { key } = subscribed;
    const created = await subscribed.subscribe(ATLAS, { idempotency_key: 'one' });
    expect(created.status).to.equal(201);
    const { secret, ...record } = created.body;
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).to.deep.include({
      subscriber_identity: 'agent:sub',
      target: ATLAS,
      target_type: 'entity',
      target_kind: 'entity',
      on_change: 'webhook',
      webhook_url: HOOK_URL,
      delivery_address: HOOK_URL,
      idempotency_key: 'one',
      status: 'active',
      last_delivered_at: null,
      circuit_open: false,
      consecutive_failures: 0,
      replay_window_s: 3600,
    });
    expect((await request('GET', `/v1/subscriptions/${record.id}`, { key })).body).to.deep.equal(record);
    const list = await request('GET', '/v1/subscriptions', { key });
    expect(list.body).to.deep.equal({ subscriptions: [record], total: 1 });
    const rows = await subscribed.node.kernel
      .get(FactStore)
      .read(async (snapshot) => JSON.stringify(await snapshot.table('subscriptions_records').select('*')));
    expect(rows).to.include(record.id).and.not.include(secret.slice('whsec_'.length, -1));
    expect(JSON.stringify(subscribed.node.logLines)).to.not.include(secret);
  });

  it('are unique per idempotency key, or else per target and webhook address', async () => {
    const one = await subscribed.subscribe(ATLAS, { idempotency_key: 'one' });
    const again = await subscribed.subscribe(ATLAS, { idempotency_key: 'one' });
    expect([again.status, again.body.id, again.body.secret]).to.deep.equal([200, one.body.id, undefined]);
    const other = await subscribed.subscribe('svc://alpha.example/project/other', { idempotency_key: 'one' });
    expect([other.status, other.body.code]).to.deep.equal([422, 'idempotency_mismatch']);
    const same = await subscribed.subscribe('SVC://alpha.example/project/ATLAS'.replace('SVC', 'svc'));
    expect([same.status, same.body.id]).to.deep.equal([200, one.body.id]);
  });

  for (const [how, members] of [
    ['of the same content', {}],
    ['with the same idempotency key', { idempotency_key: 'one' }],
  ] as const) {
    const subscribe = async (token: { text: string }, key: string) =>
      request('POST', '/v1/subscriptions', {
        key,
        headers: { 'X-Svc-Capability': token.text },
        body: { target: ATLAS, on_change: 'webhook', webhook_url: HOOK_URL, ...members },
      });
    const goesOn = async (id: string, again: TestReply) => {
      expect([again.status, again.body.id, again.body.status]).to.deep.equal([200, id, 'active']);
      await subscribed.assert();
      await subscribed.sent(1);
      expect(subscribed.attempts.map(({ body }) => body.subscription_id)).to.deep.equal([id]);
    };

    it(`continue with the token of the repeated request when the first one expires, ${how}`, async () => {
      const first = await subscribed.token(ATLAS, { ttl_seconds: 1 });
      const { body } = await subscribe(first, subscribed.key);
      await subscribed.node.clock.advance(2_000);
      await goesOn(body.id, await subscribe(await subscribed.token(ATLAS), subscribed.key));
    });

    it(`continue with the key of the repeated request when the first one is revoked, ${how}`, async () => {
      const token = await subscribed.token(ATLAS);
      const { body } = await subscribe(token, subscribed.key);
      const registry = subscribed.node.kernel.get(KeyRegistry);
      const [old] = await registry.own(createPrincipal({ entityUri: 'agent:sub' }));
      const second = await subscribed.node.addKey({ entityUri: 'agent:sub', permissions: ['read'] });
      const again = await subscribe(token, second);
      await request('DELETE', `/v1/auth/keys/${old?.id}`, { key: subscribed.admin });
      await goesOn(body.id, again);
    });

    it(`keep the key of the first request if it has wider rights than that of the repetition, ${how}`, async () => {
      const token = await subscribed.token(ATLAS);
      const { body } = await subscribe(token, subscribed.key);
      const narrow = await subscribed.node.addKey({
        entityUri: 'agent:sub',
        permissions: ['read'],
        scopes: ['public'],
      });
      await goesOn(body.id, await subscribe(token, narrow));
    });
  }

  it('send one signed event for each matching assertion and retraction, in any spelling of the entity', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    const fact = await subscribed.assert({ entity: 'svc://alpha.example/project/Atlas' });
    await subscribed.assert({ entity: 'svc://alpha.example/project/other' });
    await subscribed.assert({ entity: 'svc://alpha.example/project/Atlas' });
    await subscribed.sent(1);
    const retraction = await subscribed.assert({ value: { type: 'string', v: 'retracted' }, confidence: 0 });
    await subscribed.sent(2);
    await subscribed.settled();
    expect(subscribed.attempts.map(({ body }) => [body.event_type, body.fact_id])).to.deep.equal([
      ['fact_asserted', fact.body.id],
      ['fact_retracted', retraction.body.id],
    ]);
    for (const attempt of subscribed.attempts) {
      verifySignature(body.secret, attempt);
      expect(attempt.headers['x-svc-event-id']).to.equal(attempt.id);
      expect(attempt.body).to.deep.include({
        event_id: attempt.id,
        idempotency_key: attempt.id,
        subscription_id: body.id,
      });
    }
    expect(subscribed.attempts[0]?.body).to.deep.include({
      hlc: fact.body.hlc,
      scope: 'company',
      fact: asRead(fact.body),
    });
    const replay = await request('GET', `/v1/subscriptions/${body.id}/events`, { key: subscribed.key });
    expect(replay.body.events[0].payload).to.deep.equal(asRead(fact.body));
  });

  it('send one event when a conflict opens and one when it is resolved', async () => {
    await subscribed.subscribe('scope:company');
    await subscribed.assert();
    for (const v of ['red', 'blue']) await subscribed.assert({ value: { type: 'string', v } });
    const { body } = await request('GET', '/v1/conflicts', { key: subscribed.admin });
    const resolution = await request('POST', `/v1/conflicts/${body.conflicts[0].conflict_id}/resolve`, {
      key: subscribed.admin,
      body: { new_value: { type: 'string', v: 'grey' } },
    });
    expect(resolution.status).to.equal(200);
    await subscribed.sent(6);
    await subscribed.settled();
    const types = subscribed.attempts.map(({ body }) => body.event_type).sort();
    expect(types).to.deep.equal([
      'conflict_opened',
      'conflict_resolved',
      ...Array.from({ length: 4 }, () => 'fact_asserted'),
    ]);
    const resolved = subscribed.attempts.find(({ body }) => body.event_type === 'conflict_resolved');
    expect(resolved?.body.fact_id).to.equal(resolution.body.resolution_fact_id);
  });

  it('send only the requested event types', async () => {
    await subscribed.subscribe(ATLAS, { event_types: ['fact_retracted'] });
    await subscribed.assert();
    await subscribed.assert({ confidence: 0 });
    await subscribed.sent(1);
    await subscribed.settled();
    expect(subscribed.attempts.map(({ body }) => body.event_type)).to.deep.equal(['fact_retracted']);
  });

  it('are visible only to their owner, and disappear when deleted', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    const path = `/v1/subscriptions/${body.id}`;
    for (const [method, target] of [
      ['GET', path],
      ['DELETE', path],
      ['GET', `${path}/events`],
      ['GET', `${path}/stream`],
    ] as const) {
      expect((await request(method, target, { key: subscribed.admin })).status, target).to.equal(404);
    }
    expect((await request('DELETE', path, { key: subscribed.key })).status).to.equal(204);
    expect((await request('GET', path, { key: subscribed.key })).status).to.equal(404);
    await subscribed.assert();
    await subscribed.settled();
    expect(subscribed.attempts).to.deep.equal([]);
  });

  it('end when their webhook replies 410', async () => {
    subscribed.answer = () => ({ status: 410, headers: {} });
    const { body } = await subscribed.subscribe(ATLAS);
    await subscribed.assert();
    await subscribed.assert({ value: { type: 'string', v: 'red' }, relation: 'memory:other' });
    await subscribed.settled();
    const after = subscribed.attempts.length;
    await subscribed.assert({ relation: 'memory:third' });
    await subscribed.settled();
    expect(subscribed.attempts).to.have.length(after);
    const record = await request('GET', `/v1/subscriptions/${body.id}`, { key: subscribed.key });
    expect(record.body).to.deep.include({ status: 'cancelled', cancelled_reason: 'endpoint_gone' });
  });
});
