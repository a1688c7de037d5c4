import { expect } from 'chai';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode } from './subscribed-node.ts';

forEachStore('a subscription whose rights are revoked', () => {
  let subscribed: SubscribedNode;
  beforeEach(async () => {
    subscribed = await startSubscribedNode();
  });
  afterEach(() => subscribed.stop());

  const request: SubscribedNode['node']['request'] = (...call) => subscribed.node.request(...call);

  /** Waits for a delivery, revokes the right, and expects that a later event is not delivered. */
  const afterRevocation = async (id: string, revoke: () => Promise<unknown>, members: object = {}) => {
    await subscribed.assert({ relation: 'memory:before', ...members });
    await subscribed.sent(1);
    await subscribed.settled();
    await revoke();
    await subscribed.assert({ relation: 'memory:after', ...members });
    await subscribed.settled();
    expect(subscribed.attempts).to.have.length(1);
    // Reads the subscription with another key of the same owner.
    const second = await subscribed.node.addKey({ entityUri: 'agent:sub', permissions: ['read'] });
    const record = await request('GET', `/v1/subscriptions/${id}`, { key: second });
    expect(record.body).to.deep.include({ status: 'cancelled', cancelled_reason: 'access_revoked' });
    const replay = await subscribed.replay(id, '', second);
    expect(replay.body.events.map((event: { event_type: string }) => event.event_type)).to.deep.equal([
      'subscription_cancelled_access_revoked',
    ]);
    expect(replay.body.events[0]).to.deep.include({ fact_id: null, payload: null, entity_uri: null });
    const query = '?event_type=subscription_cancelled_access_revoked';
    const audit = await request('GET', `/v1/auth/audit${query}`, { key: subscribed.admin });
    expect(audit.body.entries).to.have.length(1);
    expect(audit.body.entries[0]).to.deep.include({ entity_uri: 'agent:sub' });
  };

  const subscribedWithToken = async () => {
    const token = await subscribed.token(ATLAS);
    const { body } = await request('POST', '/v1/subscriptions', {
      key: subscribed.key,
      body: { target: ATLAS, on_change: 'webhook', webhook_url: HOOK_URL, capability_token: token.text },
    });
    return { token, id: body.id as string };
  };

  const revokeToken = (id: string) =>
    request('POST', `/v1/federation/capability-tokens/${id}/revoke`, { key: subscribed.admin, body: {} });

  it('sends no event after its token was revoked', async () => {
    const { token, id } = await subscribedWithToken();
    await afterRevocation(id, () => revokeToken(token.id));
  });

  it('sends no event after its token has expired', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    await afterRevocation(body.id, () =>
      subscribed.node.clock.advance(3_590_000).then(() => subscribed.node.clock.advance(11_000)),
    );
  });

  it('sends no event after the key that created it was revoked', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    const registry = subscribed.node.kernel.get(KeyRegistry);
    const [key] = await registry.own(createPrincipal({ entityUri: 'agent:sub' }));
    await afterRevocation(body.id, () => request('DELETE', `/v1/auth/keys/${key?.id}`, { key: subscribed.admin }));
  });

  const garden = async (slug: string): Promise<string> => {
    const made = await request('POST', '/v1/gardens', { key: subscribed.admin, body: { slug, name: slug } });
    expect(made.status).to.equal(201);
    const member = { entity_uri: 'agent:sub', role: 'reader' };
    await request('POST', `/v1/gardens/${slug}/members`, { key: subscribed.admin, body: member });
    return made.body.garden_id;
  };

  it('sends no event after its owner has left the garden of the target', async () => {
    const gardenId = await garden('roses');
    const { body, status } = await subscribed.subscribe(gardenId);
    expect([status, body.target_type]).to.deep.equal([201, 'garden']);
    const leave = () => request('DELETE', '/v1/gardens/roses/members/agent:sub', { key: subscribed.admin });
    await afterRevocation(body.id, leave, { garden_id: gardenId });
  });

  it('drops pending events of a garden that its owner has left, and ends', async () => {
    const gardenId = await garden('roses');
    const { body } = await subscribed.subscribe(ATLAS);
    subscribed.answer = () => ({ status: 503, headers: {} });
    await subscribed.assert({ garden_id: gardenId });
    await subscribed.sent(1);
    await request('DELETE', '/v1/gardens/roses/members/agent:sub', { key: subscribed.admin });
    const replay = await subscribed.replay(body.id);
    expect(replay.body.events.map((event: { event_type: string }) => event.event_type)).to.deep.equal([
      'subscription_cancelled_access_revoked',
    ]);
    await subscribed.settled();
    expect(subscribed.attempts).to.have.length(1);
  });

  it('shows its owner no further event if the token is revoked after the receiver has ended the webhook', async () => {
    const { token, id } = await subscribedWithToken();
    subscribed.answer = () => ({ status: 410, headers: {} });
    await subscribed.assert();
    await subscribed.sent(1);
    await subscribed.settled();
    await revokeToken(token.id);
    const replay = await subscribed.replay(id);
    expect([replay.status, replay.body.events, replay.body.total]).to.deep.equal([200, [], 0]);
    const stream = await request('GET', `/v1/subscriptions/${id}/stream`, { key: subscribed.key });
    expect(stream.status).to.equal(200);
    expect(stream.text).to.match(/^: open\nid: [\dTZ:.-]+\n\n$/);
    const record = await request('GET', `/v1/subscriptions/${id}`, { key: subscribed.key });
    expect(record.body).to.deep.include({ status: 'cancelled', cancelled_reason: 'endpoint_gone' });
  });

  it('skips a fact that its owner may not see, and remains active', async () => {
    await request('POST', '/v1/gardens', { key: subscribed.admin, body: { slug: 'secret', name: 's' } });
    const { body } = await subscribed.subscribe(ATLAS);
    await subscribed.assert({ garden_id: 'secret', relation: 'memory:hidden' });
    await subscribed.assert({ scope: 'company' });
    await subscribed.sent(1);
    await subscribed.settled();
    expect(subscribed.attempts.map((attempt) => attempt.body.fact.relation)).to.deep.equal(['memory:status']);
    expect((await subscribed.replay(body.id)).body.total).to.equal(1);
    expect((await request('GET', `/v1/subscriptions/${body.id}`, { key: subscribed.key })).body.status).to.equal(
      'active',
    );
  });

  it('reports a conflict if two contradicting facts are visible, even if others are hidden', async () => {
    await request('POST', '/v1/gardens', { key: subscribed.admin, body: { slug: 'secret', name: 's' } });
    await subscribed.subscribe(ATLAS, { event_types: ['conflict_opened'] });
    const say = (v: string, members: object = {}) => subscribed.assert({ value: { type: 'string', v }, ...members });
    await say('green');
    await say('hidden', { garden_id: 'secret' });
    await subscribed.settled();
    expect(subscribed.attempts).to.deep.equal([]);
    const red = await say('red');
    await say('blue');
    await subscribed.sent(1);
    await subscribed.settled();
    expect(subscribed.attempts.map((attempt) => attempt.body.fact_id)).to.deep.equal([red.body.id]);
  });

  it('shows each key of its owner only the facts that the key may read', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    await subscribed.assert({ scope: 'company' });
    await subscribed.assert({ scope: 'public' });
    const narrow = await subscribed.node.addKey({ entityUri: 'agent:sub', permissions: ['read'], scopes: ['public'] });
    const seen = await subscribed.replay(body.id, '', narrow);
    expect([seen.body.total, seen.body.events[0].payload.scope]).to.deep.equal([1, 'public']);
    expect((await subscribed.replay(body.id)).body.total).to.equal(2);
  });
});
