import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode } from '../subscriptions/subscribed-node.ts';
import {
  askFor,
  codeFor,
  DOCUMENT,
  giveAccess,
  NODE_URL,
  OAUTH_PLUGINS,
  type OAuthNode,
  redeem,
  refresh,
  register,
  serveDocument,
  signIn,
  startOAuthNode,
  statusWith,
} from './oauth-kit.ts';

forEachStore('the webhook and stream of a remote client (I16)', () => {
  let subscribed: SubscribedNode;
  let node: OAuthNode;
  beforeEach(async () => {
    subscribed = await startSubscribedNode({
      plugins: [...OAUTH_PLUGINS, 'conflicts', 'capability-tokens', 'subscriptions'],
      url: NODE_URL,
      settings: { oauth: { enabled: true } },
    });
    node = { ...subscribed.node, clientId: String((await register(subscribed.node)).body.client_id) };
  });
  afterEach(() => subscribed.stop());

  /** A person lets a client in for a day, and the client asks for a webhook. */
  const withWebhook = async () => {
    const { access, key } = await giveAccess(node, {}, { scope: ['company'], days: '1' });
    const { entity_uri: client } = (await node.request('GET', '/v1/me', { key: access })).body;
    const asked = { issuer: client, subject: client, verb: 'subscribe', object: ATLAS, ttl_seconds: 200_000 };
    const token = await node.request('POST', '/v1/federation/capability-tokens', { key: access, body: asked });
    expect(token.status, token.text).to.equal(201);
    const reply = await node.request('POST', '/v1/subscriptions', {
      key: access,
      headers: { 'X-Svc-Capability': token.body.token_json },
      body: { target: ATLAS, on_change: 'webhook', webhook_url: HOOK_URL },
    });
    expect(reply.status, reply.text).to.equal(201);
    await subscribed.assert({ relation: 'memory:before' });
    await subscribed.sent(1);
    await subscribed.settled();
    return { id: reply.body.id as string, access, key };
  };

  const endGrant = async (key: string): Promise<void> => {
    const [{ id }] = (await node.request('GET', '/v1/oauth/grants', { key })).body.grants;
    expect((await node.request('DELETE', `/v1/oauth/grants/${id}`, { key })).status).to.equal(204);
  };

  const expectSilence = async (): Promise<void> => {
    await subscribed.assert({ relation: 'memory:after' });
    await subscribed.settled();
    expect(subscribed.attempts).to.have.length(1);
  };

  it('gets no event after the key of its person has ended', async () => {
    const { key } = await withWebhook();
    const [{ id }] = (await node.request('GET', '/v1/auth/keys', { key })).body;
    expect((await node.request('DELETE', `/v1/auth/keys/${id}`, { key })).status).to.equal(204);
    await expectSilence();
  });

  it('gets no event after the grant has ended, not even in an open stream', async () => {
    const { id, access, key } = await withWebhook();
    const open = (credential: string) =>
      node.network.deliver(node.url, {
        method: 'GET',
        target: `/v1/subscriptions/${id}/stream`,
        headers: [['Authorization', `Bearer ${credential}`]],
      });
    const { status, body } = await open(access);
    expect(status).to.equal(200);
    const frames = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect((await frames.next()).value).to.match(/^: open\nid: [\dTZ:.-]+\n\n$/);
    await endGrant(key);
    await expectSilence();
    const rest = await frames.next();
    expect(rest.value ?? '').to.not.include('memory:after');
    expect(rest.done === true || (await frames.next()).done).to.equal(true);
    expect((await open(access)).status).to.equal(401);
  });

  it('gets no event after the chosen days, even before the grant is removed', async () => {
    await withWebhook();
    await node.clock.advance(86_400_000);
    await expectSilence();
  });
});

describe('the quotas of a person who gives remote clients access (I21)', () => {
  let node: OAuthNode;
  before(async () => {
    const plugins = [...OAUTH_PLUGINS, 'rate-limits'];
    node = await startOAuthNode(
      {},
      { plugins, settings: { 'rate-limits': { perMinute: 'token_issue=5,fact_read=3' } } },
    );
  });
  after(() => node.stop());

  it('count sign-ins and token exchanges of all clients together', async () => {
    const { refresh: token, key } = await giveAccess(node, { entityUri: 'user:olga' });
    const { body: other } = await register(node);
    await redeem(node, other.client_id, await codeFor(node, askFor(other.client_id), key));
    expect((await refresh(node, node.clientId, token)).status).to.equal(200);
    const { status, body } = await refresh(node, node.clientId, token);
    expect([status, body.code]).to.deep.equal([429, 'quota_exceeded']);
    expect((await signIn(node, askFor(node.clientId), key)).status).to.equal(429);
  });

  it('count requests of the person and of all clients together', async () => {
    const { access, key } = await giveAccess(node, { entityUri: 'user:paul' });
    const { body: other } = await register(node);
    const code = await codeFor(node, askFor(other.client_id), key);
    const { body } = await redeem(node, other.client_id, code);
    const statuses: number[] = [];
    for (const one of [access, body.access_token, key, access]) statuses.push(await statusWith(node, one));
    expect(statuses).to.deep.equal([200, 200, 200, 429]);
    const limits = await node.request('GET', '/v1/me/limits', { key: body.access_token });
    expect(limits.body.quotas).to.deep.include({ dimension: 'fact_read', limit: 3, remaining: 0, reset: 60 });
  });
});

describe('the entity of a remote client', () => {
  it("stays the same when the client's document states another name", async () => {
    const node = await startOAuthNode();
    try {
      const document = { client_name: 'Assistant' };
      await serveDocument(node.network, document);
      const key = await node.addKey({ entityUri: 'user:alice' });
      const entityOf = async (): Promise<string> => {
        const { body } = await redeem(node, DOCUMENT, await codeFor(node, askFor(DOCUMENT), key));
        return (await node.request('GET', '/v1/me', { key: body.access_token })).body.entity_uri;
      };
      const first = await entityOf();
      expect(first).to.match(/^agent:assistant-example-[0-9a-f]{16}$/);
      document.client_name = 'Somebody else';
      await node.clock.advance(600_000);
      const page = await signIn(node, askFor(DOCUMENT), key);
      expect(page.text).to.include('Somebody else');
      expect(await entityOf()).to.equal(first);
    } finally {
      await node.stop();
    }
  });
});
