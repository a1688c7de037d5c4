import { expect } from 'chai';
import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { Tenants } from '../../../plugins/multi-tenant/multi-tenant-api.ts';
import { GrantRegistry } from '../../../plugins/oauth/oauth-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import {
  askFor,
  codeFor,
  decide,
  fieldOf,
  giveAccess,
  NODE_URL,
  type OAuthNode,
  postForm,
  redeem,
  refresh,
  register,
  signIn,
  startOAuthNode,
  statusWith,
} from './oauth-kit.ts';

forEachStore('a grant, by which a person lets a remote client act (I14, I16, I19)', () => {
  let node: OAuthNode;
  before(async () => {
    node = await startOAuthNode();
  });
  after(() => node.stop());

  const grantsOf = async (key: string) => (await node.request('GET', '/v1/oauth/grants', { key })).body.grants;
  const codeOf = async () => codeFor(node, askFor(node.clientId), await node.addKey({ entityUri: 'user:alice' }));

  it('gives the client an entity of its own, which facts name', async () => {
    const { access, key } = await giveAccess(node);
    const { body: me } = await node.request('GET', '/v1/me', { key: access });
    expect(me.entity_uri).to.match(/^agent:assistant-[0-9a-f]{16}$/);
    expect(me.permissions).to.deep.equal(['read', 'write']);
    const [grant] = await grantsOf(key);
    expect(grant).to.include({ entity_uri: me.entity_uri, person_uri: 'user:alice', client_host: 'assistant.example' });
    const body = {
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'CEO' },
      source: me.entity_uri,
    };
    expect((await node.request('POST', '/v1/facts', { key: access, body })).status).to.equal(201);
    const other = await giveAccess(node, { entityUri: 'user:bob' });
    const { body: his } = await node.request('GET', '/v1/me', { key: other.access });
    expect(his.entity_uri).to.not.equal(me.entity_uri);
  });

  it('gives only read access if the person allows no more', async () => {
    const { access } = await giveAccess(node, {}, { decision: 'read_only' });
    expect(await statusWith(node, access)).to.equal(200);
    const body = {
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'x' },
      source: 'agent:x',
    };
    expect((await node.request('POST', '/v1/facts', { key: access, body })).status).to.equal(403);
  });

  it('ends only at the request of its person or an admin, before the next request of the client', async () => {
    const { access, refresh: refreshToken, key } = await giveAccess(node, { entityUri: 'user:carol' });
    const [{ id }] = await grantsOf(key);
    const stranger = await node.addKey({ entityUri: 'user:dave' });
    const admin = await node.addKey({ entityUri: 'user:admin', permissions: ['admin'] });
    const path = `/v1/oauth/grants/${id}`;
    expect(await grantsOf(stranger)).to.deep.equal([]);
    expect((await grantsOf(admin)).map((grant: { id: string }) => grant.id)).to.include(id);
    expect((await node.request('DELETE', path, { key: stranger })).status).to.equal(404);
    expect(await statusWith(node, access)).to.equal(200);
    expect((await node.request('DELETE', path, { key: admin })).status).to.equal(204);
    expect(await statusWith(node, access)).to.equal(401);
    expect((await refresh(node, node.clientId, refreshToken)).body.error).to.equal('invalid_grant');
    expect((await node.request('DELETE', path, { key })).status).to.equal(404);
  });

  it('ends together with the key of its person', async () => {
    const { access, refresh: refreshToken, key } = await giveAccess(node, { entityUri: 'user:erin' });
    const [{ id: keyId }] = (await node.request('GET', '/v1/auth/keys', { key })).body;
    expect((await node.request('DELETE', `/v1/auth/keys/${keyId}`, { key })).status).to.equal(204);
    expect(await statusWith(node, access)).to.equal(401);
    expect((await refresh(node, node.clientId, refreshToken)).status).to.equal(400);
    await node.clock.advance(60_000);
    const operator = nodePrincipal(node.kernel.get(NodeSelf).names);
    await waitUntil('the grant is removed', 10_000, async () => {
      const left = await node.kernel.get(GrantRegistry).list(operator);
      return left.every(({ personUri }) => personUri !== 'user:erin');
    });
  });

  it('moves to the new key when its person rotates the key', async () => {
    const { access, key } = await giveAccess(node, { entityUri: 'user:frank' });
    const body = { raw_key: 'another-key-of-frank-that-is-long-enough', overlap_s: 0 };
    expect((await node.request('POST', '/v1/auth/keys/current/rotate', { key, body })).status).to.equal(201);
    expect(await statusWith(node, access)).to.equal(200);
  });

  it('gives the client no key that outlives it', async () => {
    const { access } = await giveAccess(node);
    const body = { raw_key: 'a-key-that-a-client-would-like-to-keep-for-ever', overlap_s: 0 };
    expect((await node.request('POST', '/v1/auth/keys/current/rotate', { key: access, body })).status).to.equal(403);
    expect(await statusWith(node, access)).to.equal(200);
    expect(await statusWith(node, body.raw_key)).to.equal(401);
  });

  it('is refused while its tenant is suspended', async () => {
    const key = await node.addKey({ entityUri: 'user:gina', tenantId: 'acme' });
    const { body } = await redeem(node, node.clientId, await codeFor(node, askFor(node.clientId), key));
    expect(await statusWith(node, body.access_token)).to.equal(200);
    const tenants = node.kernel.get(Tenants);
    const operator = nodePrincipal(node.kernel.get(NodeSelf).names);
    await tenants.change(operator, 'acme', { status: 'suspended' });
    expect(await statusWith(node, body.access_token)).to.equal(403);
    expect((await refresh(node, node.clientId, body.refresh_token)).body.error).to.equal('invalid_grant');
    await tenants.change(operator, 'acme', { status: 'active' });
    expect(await statusWith(node, body.access_token)).to.equal(200);
  });

  it('gives access to the chosen gardens of its person until it ends', async () => {
    const key = await node.addKey({ entityUri: 'user:hugo' });
    const garden = { slug: 'plans', name: 'Plans', scope: 'local' };
    expect((await node.request('POST', '/v1/gardens', { key, body: garden })).status).to.equal(201);
    const page = await signIn(node, askFor(node.clientId), key);
    const reply = await decide(node, page, { garden: fieldOf(page, 'garden') });
    const code = new URL(reply.headers['location'] ?? '').searchParams.get('code') ?? '';
    const { body } = await redeem(node, node.clientId, code);
    const read = () => node.request('GET', '/v1/gardens/plans', { key: body.access_token });
    expect((await read()).status).to.equal(200);
    const [{ id }] = await grantsOf(key);
    await node.request('DELETE', `/v1/oauth/grants/${id}`, { key });
    const { body: after } = await node.request('GET', '/v1/gardens/plans', { key });
    expect(after.members.map((member: { entity_uri: string }) => member.entity_uri)).to.deep.equal(['user:hugo']);
  });

  it('replaces its refresh token at each use, and ends when an old one is used again', async () => {
    const first = await giveAccess(node);
    const { body: second } = await refresh(node, node.clientId, first.refresh);
    expect(await statusWith(node, second.access_token)).to.equal(200);
    expect((await refresh(node, node.clientId, first.refresh)).body.error).to.equal('invalid_grant');
    expect(await statusWith(node, second.access_token)).to.equal(401);
    expect((await refresh(node, node.clientId, second.refresh_token)).body.error).to.equal('invalid_grant');
  });

  it('gives at most one pair of tokens for a refresh token that is used twice at once, and ends', async () => {
    const { refresh: token } = await giveAccess(node);
    const replies = await Promise.all([1, 2, 3, 4].map(() => refresh(node, node.clientId, token)));
    const good = replies.filter(({ status }) => status === 200);
    expect(good.length).to.be.at.most(1);
    for (const { body } of good) expect(await statusWith(node, body.access_token)).to.equal(401);
  });

  it('ends when its code is used again', async () => {
    const code = await codeOf();
    const { body } = await redeem(node, node.clientId, code);
    expect((await redeem(node, node.clientId, code)).body.error).to.equal('invalid_grant');
    expect(await statusWith(node, body.access_token)).to.equal(401);
  });

  it('gives at most one pair of tokens for a code that is used twice at once', async () => {
    const code = await codeOf();
    const replies = await Promise.all([1, 2, 3, 4].map(() => redeem(node, node.clientId, code)));
    expect(replies.filter(({ status }) => status === 200).length).to.be.at.most(1);
  });

  for (const [attack, changes] of Object.entries({
    'another verifier': { code_verifier: 'b'.repeat(43) },
    'the challenge as the verifier': { code_verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    'another redirect address': { redirect_uri: 'https://evil.example/callback' },
    'another client': { client_id: 'https://evil.example/client.json' },
  })) {
    it(`gives no token for a code with ${attack}, and ends`, async () => {
      const code = await codeOf();
      expect((await redeem(node, node.clientId, code, changes)).body.error).to.equal('invalid_grant');
      expect((await redeem(node, node.clientId, code)).body.error).to.equal('invalid_grant');
    });
  }

  it('gives no token for the resource of another node', async () => {
    const resource = 'https://other.example/v1/mcp';
    expect((await redeem(node, node.clientId, await codeOf(), { resource })).body.error).to.equal('invalid_target');
    const { refresh: token } = await giveAccess(node);
    expect((await refresh(node, node.clientId, token, { resource })).body.error).to.equal('invalid_target');
    expect((await refresh(node, node.clientId, token)).status).to.equal(200);
  });

  it('gives no token for a code without its PKCE verifier', async () => {
    const reply = await redeem(node, node.clientId, await codeOf(), { code_verifier: undefined });
    expect(reply.body.error).to.equal('invalid_request');
  });

  it('accepts no code or token in place of another kind', async () => {
    const { access, refresh: token } = await giveAccess(node);
    expect(await statusWith(node, await codeOf())).to.equal(401);
    expect(await statusWith(node, token)).to.equal(401);
    expect((await refresh(node, node.clientId, access)).body.error).to.equal('invalid_grant');
    expect((await redeem(node, node.clientId, token)).body.error).to.equal('invalid_grant');
  });

  it('ends at the request of its own client, but not of another client', async () => {
    const { access, refresh: token } = await giveAccess(node);
    const { body: other } = await register(node, { client_name: 'Other' });
    const revoke = (clientId: string, revoked: string) =>
      postForm(node, '/oauth/revoke', { client_id: clientId, token: revoked });
    expect((await revoke(other.client_id, token)).status).to.equal(200);
    expect(await statusWith(node, access)).to.equal(200);
    expect((await revoke(node.clientId, 'ort_unknown')).status).to.equal(200);
    expect((await revoke(node.clientId, access)).status).to.equal(200);
    expect(await statusWith(node, access)).to.equal(401);
    const { body: next } = await refresh(node, node.clientId, token);
    expect((await revoke(node.clientId, next.refresh_token)).status).to.equal(200);
    expect(await statusWith(node, next.access_token)).to.equal(401);
  });

  it('has codes for one minute, access tokens for an hour, and ends after the chosen days', async () => {
    const key = await node.addKey({ entityUri: 'user:ines' });
    const late = await codeFor(node, askFor(node.clientId), key);
    await node.clock.advance(60_000);
    expect((await redeem(node, node.clientId, late)).body.error).to.equal('invalid_grant');
    const { access, refresh: token } = await giveAccess(node, { entityUri: 'user:ines' }, { days: '1' });
    await node.clock.advance(3_600_000);
    expect(await statusWith(node, access)).to.equal(401);
    const { body } = await refresh(node, node.clientId, token);
    expect(await statusWith(node, body.access_token)).to.equal(200);
    await node.clock.advance(86_400_000);
    expect((await refresh(node, node.clientId, body.refresh_token)).body.error).to.equal('invalid_grant');
    expect(await grantsOf(key)).to.deep.equal([]);
  });

  it('is valid at no other node', async () => {
    const { access } = await giveAccess(node);
    const other = await startOAuthNode({}, { url: 'https://other.example' });
    try {
      expect(await statusWith(other, access)).to.equal(401);
    } finally {
      await other.stop();
    }
  });

  it('keeps no secret in the store in plain text', async () => {
    const { access, refresh: token } = await giveAccess(node);
    const code = await codeOf();
    const lines = JSON.stringify(node.logLines);
    for (const secret of [access, token, code]) expect(lines).to.not.include(secret);
  });

  it('can be obtained from the first 401 reply alone, through the metadata documents', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const refused = await node.request('POST', '/v1/mcp', { body: message });
    const address = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate'] ?? '')?.[1] ?? '';
    expect(address).to.equal(`${NODE_URL}/.well-known/oauth-protected-resource/v1/mcp`);
    const { body: resource } = await node.request('GET', new URL(address).pathname);
    expect(resource).to.deep.include({ resource: `${NODE_URL}/v1/mcp`, authorization_servers: [NODE_URL] });
    const paths = ['oauth-authorization-server', 'openid-configuration'];
    const [server, same] = await Promise.all(paths.map((path) => node.request('GET', `/.well-known/${path}`)));
    expect(server?.body).to.deep.equal(same?.body);
    expect(server?.body).to.deep.include({
      issuer: NODE_URL,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });
});

describe('the setting SVC_OAUTH_ENABLED', () => {
  const started = (url: string, settings: object) =>
    startTestNode({ plugins: ['keys', 'oauth'], url, settings: { oauth: { enabled: true, ...settings } } });

  it('requires an https address without a path, or a switch for tests', async () => {
    for (const url of ['http://memory.example', 'https://memory.example/memory']) {
      const error = await started(url, {}).catch((refusal: unknown) => refusal);
      expect(String(error), url).to.include('oauth is on');
    }
    await (await started('http://localhost:8765', { insecure: true })).stop();
  });

  it('adds no route while it is off', async () => {
    const node = await startTestNode({ plugins: ['keys', 'oauth'] });
    expect((await node.request('GET', '/.well-known/oauth-authorization-server')).status).to.equal(404);
    await node.stop();
  });
});
