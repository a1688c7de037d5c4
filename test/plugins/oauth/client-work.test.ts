import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode } from '../subscriptions/subscribed-node.ts';
import {
  askFor,
  giveAccess,
  NODE_URL,
  OAUTH_PLUGINS,
  type OAuthNode,
  refresh,
  register,
  signIn,
  startOAuthNode,
} from './oauth-kit.ts';

forEachStore('the webhook of a remote client (I16)', () => {
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

  /** A person lets a client in for a day, and the client asks for a webhook. Returns the key of the person. */
  const withWebhook = async (): Promise<string> => {
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
    return key;
  };

  const expectSilence = async (): Promise<void> => {
    await subscribed.assert({ relation: 'memory:after' });
    await subscribed.settled();
    expect(subscribed.attempts).to.have.length(1);
  };

  it('gets nothing from the end of the key of its person on', async () => {
    const key = await withWebhook();
    const [{ id }] = (await node.request('GET', '/v1/auth/keys', { key })).body;
    expect((await node.request('DELETE', `/v1/auth/keys/${id}`, { key })).status).to.equal(204);
    await expectSilence();
  });

  it('gets nothing after the chosen days, even before the grant is removed', async () => {
    await withWebhook();
    await node.clock.advance(86_400_000);
    await expectSilence();
  });
});

describe('the quota of tokens of a node that gives remote clients access (I21)', () => {
  it('counts the sign-ins of a person, and the exchanges of a client', async () => {
    const node = await startOAuthNode(
      {},
      { plugins: [...OAUTH_PLUGINS, 'rate-limits'], settings: { 'rate-limits': { perMinute: 'token_issue=2' } } },
    );
    try {
      const { refresh: token, key } = await giveAccess(node);
      const { body } = await refresh(node, node.clientId, token);
      const third = await refresh(node, node.clientId, body.refresh_token);
      expect([third.status, third.body.code]).to.deep.equal([429, 'quota_exceeded']);
      expect((await signIn(node, askFor(node.clientId), key)).status).to.equal(200);
      expect((await signIn(node, askFor(node.clientId), key)).status).to.equal(429);
    } finally {
      await node.stop();
    }
  });
});
